#include <map>

#include "data/packed.h"
#include "expr/vectors/elements.h"
#include "ops/aggregate/accumulators/collected.h"
#include "ops/aggregate/accumulators/kept_text.h"
#include "ops/aggregate/functions/function_groups.h"

namespace lanewise::ops {

namespace {

/// Gathers values as slots of packed values; Result{}(slots, rows, writer) makes a group's value from them.
template <class Result>
class Slots : public Accumulator {
 public:
  Slots(Type type, Collected slots, MemoryBudget* budget)
      : type_(type), slots_(std::move(slots)), budget_(budget) {}

  void resize(uint32_t groups) override { slots_.resize(groups); }
  void update(const AggregateInput& input) override {
    const ActiveSet rows = Result::kTakesNulls ? input.rows : present(input);
    if (rows.none()) return;
    const Vector slots = expr::slots_of(input.args[0], rows);
    AggregateInput collected = input;
    collected.args = std::span(&slots, 1);
    slots_.add(collected, rows);
  }
  void merge(const Accumulator& other, std::span<const uint32_t> from, const uint32_t* to) override {
    slots_.merge(static_cast<const Slots&>(other).slots_, from, to);
  }
  bool merge_copies() const override { return false; }  // slots are not copied
  void seal() override { slots_.seal(); }

  ColumnPtr finish(uint32_t first, uint32_t count, const Cancellation* cancellation) const override {
    std::vector<std::string> results(count);
    Reservation held(budget_, kGroupBy);
    for (uint32_t i = 0; i < count; ++i) {
      if (cancellation != nullptr && i % 1024 == 0) cancellation->check();
      const auto rows = slots_.rows(first + i);
      if (rows.empty()) continue;
      packed::Writer writer(results[i]);
      Result{}(slots_, rows, writer);
      writer.end();
      held.resize(held.bytes() + results[i].size());
    }
    return text_column(
        type_, count, budget_, [&](uint32_t i) { return !slots_.rows(first + i).empty(); },
        [&](uint32_t i) { return std::string_view(results[i]); });
  }

 private:
  Type type_;
  Collected slots_;
  MemoryBudget* budget_;
};

/// list(x ORDER BY ...).
struct List {
  static constexpr bool kTakesNulls = true;
  void operator()(const Collected& slots, Collected::Rows rows, packed::Writer& to) const {
    std::vector<uint32_t> order(rows.begin(), rows.end());
    slots.sort(order);
    for (const uint32_t row : order) to.slot(slots.value<std::string_view>(row));
  }
};

/// histogram(x): values in order.
struct Histogram {
  static constexpr bool kTakesNulls = false;
  void operator()(const Collected& slots, Collected::Rows rows, packed::Writer& to) const {
    std::map<std::string_view, uint64_t> counts;
    for (const uint32_t row : rows) ++counts[slots.value<std::string_view>(row)];
    for (const auto& [slot, times] : counts) {
      to.mark(packed::Mark::kValue);
      to.slot(slot);
      to.number(times);
    }
  }
};

template <class Result>
std::unique_ptr<Accumulator> make_slots(const plan::AggregateCall& call, MemoryBudget* budget) {
  return std::make_unique<Slots<Result>>(call.type, collected_in_order(TypeId::kBlob, call, budget), budget);
}

std::optional<Type> resolve_list(std::span<const Type> args) {
  return args.size() == 1 ? std::optional(Type::list(args[0])) : std::nullopt;
}
std::optional<Type> resolve_histogram(std::span<const Type> args) {
  return args.size() == 1 ? std::optional(Type::map(args[0], TypeId::kUInt64)) : std::nullopt;
}

constexpr AggregateFunction kListFunctions[] = {
    {.name = "list",
     .order_matters = true,
     .resolve = resolve_list,
     .make = make_slots<List>,
     .documentation = "All values as a list, NULLs too; NULL if there are no rows.",
     .example = "SELECT list(x ORDER BY x) FROM (VALUES (2), (1)) t(x) -- [1, 2]",
     .takes_nulls = true,
     .compares_values = false},
    {.name = "histogram",
     .resolve = resolve_histogram,
     .make = make_slots<Histogram>,
     .documentation = "A map of the values that are not NULL to how often each is there.",
     .example = "SELECT histogram(x) FROM (VALUES (1), (2), (1)) t(x) -- {1=2, 2=1}"},
};

}  // namespace

std::span<const AggregateFunction> list_functions() { return kListFunctions; }

}  // namespace lanewise::ops
