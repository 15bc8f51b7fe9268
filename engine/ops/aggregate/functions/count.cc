#include "expr/vectors/vectors.h"
#include "ops/aggregate/accumulators/states.h"
#include "ops/aggregate/functions/function_groups.h"

namespace lanewise::ops {

namespace {

enum class Counted { kRows, kPresent, kTrue, kParts };

/// count(*), count(x), count_if(x), and the sum of such counts.
template <Counted kWhat, class Result>
class Count : public Accumulator {
 public:
  Count(Type type, MemoryBudget* budget) : type_(type), budget_(budget), counts_(budget) {}

  void resize(uint32_t groups) override { counts_.resize(groups); }

  void update(const AggregateInput& input) override {
    if (kWhat == Counted::kRows) return add(input, input.rows);
    const ActiveSet rows = present(input);
    if (kWhat == Counted::kPresent) return add(input, rows);
    if (kWhat == Counted::kParts) return add_parts(input, rows);
    const expr::Truth truth = expr::truth_of(input.args[0], rows);
    add(input, rows.narrowed(truth.yes));
  }

  void merge(const Accumulator& other, std::span<const uint32_t> from, const uint32_t* to) override {
    const auto& theirs = static_cast<const Count&>(other).counts_;
    for (size_t i = 0; i < from.size(); ++i) counts_[to[i]] += theirs[from[i]];
  }

  ColumnPtr finish(uint32_t first, uint32_t count, const Cancellation*) const override {
    return number_column<Result>(
        type_, count, budget_, [](uint32_t) { return true; }, [&](uint32_t i) { return counts_[first + i]; });
  }

 private:
  void add(const AggregateInput& input, const ActiveSet& rows) {
    if (input.groups == nullptr) {
      counts_[0] += rows.count();
      return;
    }
    int64_t* counts = counts_.data();
    for_each_row(input, rows, [&](uint32_t, uint32_t group) { ++counts[group]; });
  }
  void add_parts(const AggregateInput& input, const ActiveSet& rows) {
    const Vector parts = expr::flatten(input.args[0], rows);
    const auto* part = parts.as<int64_t>();
    int64_t* counts = counts_.data();
    for_each_row(input, rows, [&](uint32_t row, uint32_t group) { counts[group] += part[row]; });
  }

  Type type_;
  MemoryBudget* budget_;
  States<int64_t> counts_;
};

template <Counted kWhat, class Result>
std::unique_ptr<Accumulator> make_count(const plan::AggregateCall& call, MemoryBudget* budget) {
  return std::make_unique<Count<kWhat, Result>>(call.type, budget);
}

std::optional<Type> no_argument(std::span<const Type> args) {
  return args.empty() ? std::optional<Type>(TypeId::kInt64) : std::nullopt;
}
std::optional<Type> any_argument(std::span<const Type> args) {
  return args.size() == 1 ? std::optional<Type>(TypeId::kInt64) : std::nullopt;
}
std::optional<Type> a_count(std::span<const Type> args) {
  return args.size() == 1 && args[0] == TypeId::kInt64 ? std::optional<Type>(TypeId::kInt64) : std::nullopt;
}
std::optional<Type> condition(std::span<const Type> args) {
  return args.size() == 1 && args[0] == TypeId::kBool ? std::optional<Type>(TypeId::kInt128) : std::nullopt;
}

constexpr AggregateFunction kCountFunctions[] = {
    {.name = "count_star",
     .resolve = no_argument,
     .make = make_count<Counted::kRows, int64_t>,
     .documentation = "The number of rows.",
     .example = "SELECT count(*) FROM (VALUES (1), (NULL)) t(x) -- 2",
     .reduction = Reduction::kCountRows,
     .of_parts = "count_of_parts"},
    {.name = "count",
     .resolve = any_argument,
     .make = make_count<Counted::kPresent, int64_t>,
     .documentation = "The number of values that are not NULL.",
     .example = "SELECT count(x) FROM (VALUES (1), (NULL)) t(x) -- 1",
     .compares_values = false,
     .reduction = Reduction::kCount,
     .of_parts = "count_of_parts"},
    {.name = "count_if",
     .resolve = condition,
     .make = make_count<Counted::kTrue, int128_t>,
     .documentation = "The number of rows where the condition is true.",
     .example = "SELECT count_if(x > 1) FROM (VALUES (1), (2), (NULL)) t(x) -- 1",
     .reduction = Reduction::kCountTrue},
};

constexpr AggregateFunction kCountsOfParts[] = {
    {.name = "count_of_parts",
     .resolve = a_count,
     .make = make_count<Counted::kParts, int64_t>,
     .takes_parts = true},
};

}  // namespace

std::span<const AggregateFunction> count_functions() { return kCountFunctions; }
std::span<const AggregateFunction> counts_of_parts() { return kCountsOfParts; }

}  // namespace lanewise::ops
