#include "data/packed.h"
#include "expr/nested/elements.h"
#include "ops/aggregate/collected.h"
#include "ops/aggregate/function_groups.h"
#include "ops/aggregate/kept_text.h"

namespace lanewise::ops {

namespace {

/// list(x ORDER BY ...): all values, NULLs too, as slots of a packed list.
class List : public Accumulator {
 public:
  List(Type type, Collected slots, MemoryBudget* budget)
      : type_(type), slots_(std::move(slots)), budget_(budget) {}

  void resize(uint32_t groups) override { slots_.resize(groups); }
  void update(const AggregateInput& input) override {
    if (input.rows.none()) return;
    const Vector slots = expr::slots_of(input.args[0], input.rows);
    AggregateInput collected = input;
    collected.args = std::span(&slots, 1);
    slots_.add(collected, input.rows);
  }
  void merge(const Accumulator& other, std::span<const uint32_t> from, const uint32_t* to) override {
    slots_.merge(static_cast<const List&>(other).slots_, from, to);
  }
  bool merge_copies() const override { return false; }  // slots stay where they are
  void seal() override { slots_.seal(); }

  ColumnPtr finish(uint32_t first, uint32_t count, const Cancellation* cancellation) const override {
    std::vector<std::string> lists(count);
    std::vector<uint32_t> order;
    Reservation held(budget_, kGroupBy);
    for (uint32_t i = 0; i < count; ++i) {
      if (cancellation != nullptr && i % 1024 == 0) cancellation->check();
      const auto rows = slots_.rows(first + i);
      if (rows.empty()) continue;
      order.assign(rows.begin(), rows.end());
      slots_.sort(order);
      size_t size = 1;
      for (const uint32_t row : order) size += slots_.value<std::string_view>(row).size();
      held.resize(held.bytes() + size);
      lists[i].reserve(size);
      packed::Writer writer(lists[i]);
      for (const uint32_t row : order) writer.slot(slots_.value<std::string_view>(row));
      writer.end();
    }
    return text_column(
        type_, count, budget_, [&](uint32_t i) { return !slots_.rows(first + i).empty(); },
        [&](uint32_t i) { return std::string_view(lists[i]); });
  }

 private:
  Type type_;
  Collected slots_;
  MemoryBudget* budget_;
};

std::optional<Type> resolve_list(std::span<const Type> args) {
  if (args.size() != 1) return std::nullopt;
  return Type::list(args[0]);
}

std::unique_ptr<Accumulator> make_list(const plan::AggregateCall& call, MemoryBudget* budget) {
  return std::make_unique<List>(call.type, collected_in_order(TypeId::kBlob, call, budget), budget);
}

constexpr AggregateFunction kListFunctions[] = {
    {"list", true, true, resolve_list, make_list,
     "All values as a list, NULLs too; NULL if there are no rows.",
     "SELECT list(x ORDER BY x) FROM (VALUES (2), (1)) t(x) -- [1, 2]", true},
};

}  // namespace

std::span<const AggregateFunction> list_functions() { return kListFunctions; }

}  // namespace lanewise::ops
