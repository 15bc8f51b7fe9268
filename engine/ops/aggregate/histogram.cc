#include <map>

#include "data/packed.h"
#include "expr/nested/elements.h"
#include "ops/aggregate/collected.h"
#include "ops/aggregate/function_groups.h"
#include "ops/aggregate/kept_text.h"

namespace lanewise::ops {

namespace {

/// histogram(x): a map of the values, in their order, to how often each is there.
class Histogram : public Accumulator {
 public:
  Histogram(Type type, Collected slots, MemoryBudget* budget)
      : type_(type), slots_(std::move(slots)), budget_(budget) {}

  void resize(uint32_t groups) override { slots_.resize(groups); }
  void update(const AggregateInput& input) override {
    const ActiveSet rows = present(input);
    if (rows.none()) return;
    const Vector slots = expr::slots_of(input.args[0], rows);
    AggregateInput collected = input;
    collected.args = std::span(&slots, 1);
    slots_.add(collected, rows);
  }
  void merge(const Accumulator& other, std::span<const uint32_t> from, const uint32_t* to) override {
    slots_.merge(static_cast<const Histogram&>(other).slots_, from, to);
  }
  bool merge_copies() const override { return false; }  // slots stay where they are
  void seal() override { slots_.seal(); }

  ColumnPtr finish(uint32_t first, uint32_t count, const Cancellation* cancellation) const override {
    std::vector<std::string> maps(count);
    for (uint32_t i = 0; i < count; ++i) {
      if (cancellation != nullptr && i % 1024 == 0) cancellation->check();
      std::map<std::string_view, uint64_t> counts;
      for (const uint32_t row : slots_.rows(first + i)) ++counts[slots_.value<std::string_view>(row)];
      packed::Writer writer(maps[i]);
      for (const auto& [slot, times] : counts) {
        writer.mark(packed::Mark::kValue);
        writer.slot(slot);
        writer.number(times);
      }
      writer.end();
    }
    return text_column(
        type_, count, budget_, [&](uint32_t i) { return !slots_.rows(first + i).empty(); },
        [&](uint32_t i) { return std::string_view(maps[i]); });
  }

 private:
  Type type_;
  Collected slots_;
  MemoryBudget* budget_;
};

std::optional<Type> resolve_histogram(std::span<const Type> args) {
  if (args.size() != 1) return std::nullopt;
  return Type::map(args[0], TypeId::kUInt64);
}

std::unique_ptr<Accumulator> make_histogram(const plan::AggregateCall& call, MemoryBudget* budget) {
  plan::AggregateCall unordered = call;
  unordered.order.clear();
  return std::make_unique<Histogram>(call.type, collected_in_order(TypeId::kBlob, unordered, budget), budget);
}

constexpr AggregateFunction kHistogramFunctions[] = {
    {"histogram", true, false, resolve_histogram, make_histogram,
     "A map of the values that are not NULL to how often each is there.",
     "SELECT histogram(x) FROM (VALUES (1), (2), (1)) t(x) -- {1=2, 2=1}"},
};

}  // namespace

std::span<const AggregateFunction> histogram_functions() { return kHistogramFunctions; }

}  // namespace lanewise::ops
