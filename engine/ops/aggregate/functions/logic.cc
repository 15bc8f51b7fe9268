#include <type_traits>

#include "base/error.h"
#include "base/int128.h"
#include "expr/vectors/vectors.h"
#include "ops/aggregate/accumulators/seen.h"
#include "ops/aggregate/accumulators/states.h"
#include "ops/aggregate/functions/function_groups.h"

namespace lanewise::ops {

namespace {

enum class BitOperation { kAnd, kOr, kXor };

/// bit_and, bit_or, bit_xor; of bytes 0 and 1 also bool_and, bool_or.
template <class T, BitOperation kOperation>
class BitFold : public Accumulator {
 public:
  BitFold(Type type, MemoryBudget* budget)
      : type_(type),
        budget_(budget),
        states_(budget, kOperation == BitOperation::kAnd ? static_cast<T>(-1) : T{}),
        seen_(budget) {}

  void resize(uint32_t groups) override {
    states_.resize(groups);
    seen_.resize(groups);
  }
  void update(const AggregateInput& input) override {
    const ActiveSet rows = present(input);
    const Vector flat = expr::flatten(input.args[0], rows);
    const T* values = flat.as<T>();
    for_each_row(input, rows, [&](uint32_t row, uint32_t group) { fold(states_[group], values[row]); });
    seen_.mark(input, rows);
  }
  void merge(const Accumulator& other, std::span<const uint32_t> from, const uint32_t* to) override {
    const auto& theirs = static_cast<const BitFold&>(other);
    for (size_t i = 0; i < from.size(); ++i) fold(states_[to[i]], theirs.states_[from[i]]);
    seen_.merge(theirs.seen_, from, to);
  }
  ColumnPtr finish(uint32_t first, uint32_t count, const Cancellation*) const override {
    return number_column<T>(
        type_, count, budget_, [&](uint32_t i) { return seen_[first + i]; },
        [&](uint32_t i) { return states_[first + i]; });
  }

 private:
  static void fold(T& state, T value) {
    if constexpr (kOperation == BitOperation::kAnd) {
      state = static_cast<T>(state & value);
    } else if constexpr (kOperation == BitOperation::kOr) {
      state = static_cast<T>(state | value);
    } else {
      state = static_cast<T>(state ^ value);
    }
  }

  Type type_;
  MemoryBudget* budget_;
  States<T> states_;
  Seen seen_;
};

template <BitOperation kOperation>
std::unique_ptr<Accumulator> make_logic(const plan::AggregateCall& call, MemoryBudget* budget) {
  return visit(call.type.physical(), [&](auto zero) -> std::unique_ptr<Accumulator> {
    using T = decltype(zero);
    if constexpr (std::is_integral_v<T> || std::is_same_v<T, int128_t> || std::is_same_v<T, uint128_t>) {
      return std::make_unique<BitFold<T, kOperation>>(call.type, budget);
    } else {
      throw InternalError(call.function + " of " + call.type.name());
    }
  });
}

std::optional<Type> integer(std::span<const Type> args) {
  return args.size() == 1 && args[0].is_integer() ? std::optional<Type>(args[0]) : std::nullopt;
}
std::optional<Type> boolean(std::span<const Type> args) {
  return args.size() == 1 && args[0] == TypeId::kBool ? std::optional<Type>(args[0]) : std::nullopt;
}

constexpr AggregateFunction kLogicFunctions[] = {
    {.name = "bit_and",
     .distinct_matters = false,
     .resolve = integer,
     .make = make_logic<BitOperation::kAnd>,
     .documentation = "All values combined bit by bit with AND.",
     .example = "SELECT bit_and(x) FROM (VALUES (7), (5)) t(x) -- 5",
     .reduction = Reduction::kBitAnd,
     .of_parts = "bit_and"},
    {.name = "bit_or",
     .distinct_matters = false,
     .resolve = integer,
     .make = make_logic<BitOperation::kOr>,
     .documentation = "All values combined bit by bit with OR.",
     .example = "SELECT bit_or(x) FROM (VALUES (4), (1)) t(x) -- 5",
     .reduction = Reduction::kBitOr,
     .of_parts = "bit_or"},
    {.name = "bit_xor",
     .resolve = integer,
     .make = make_logic<BitOperation::kXor>,
     .documentation = "All values combined bit by bit with exclusive OR.",
     .example = "SELECT bit_xor(x) FROM (VALUES (7), (5)) t(x) -- 2",
     .reduction = Reduction::kBitXor,
     .of_parts = "bit_xor"},
    {.name = "bool_and",
     .distinct_matters = false,
     .resolve = boolean,
     .make = make_logic<BitOperation::kAnd>,
     .documentation = "Whether all conditions that are not NULL are true.",
     .example = "SELECT bool_and(x) FROM (VALUES (true), (false)) t(x) -- false",
     .reduction = Reduction::kMin,
     .of_parts = "bool_and"},
    {.name = "bool_or",
     .distinct_matters = false,
     .resolve = boolean,
     .make = make_logic<BitOperation::kOr>,
     .documentation = "Whether some condition is true.",
     .example = "SELECT bool_or(x) FROM (VALUES (true), (false)) t(x) -- true",
     .reduction = Reduction::kMax,
     .of_parts = "bool_or"},
};

}  // namespace

std::span<const AggregateFunction> logic_functions() { return kLogicFunctions; }

}  // namespace lanewise::ops
