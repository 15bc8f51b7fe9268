#include <algorithm>

#include "ops/aggregate/accumulators/collected.h"
#include "ops/aggregate/functions/function_groups.h"
#include "ops/less.h"

namespace lanewise::ops {

namespace {

/// The most frequent value; of several the one whose first row comes first in the call's ORDER BY, with the
/// value of that row. NaN does not equal NaN.
template <class T>
class Mode : public OfCollected {
 public:
  Mode(const plan::AggregateCall& call, MemoryBudget* budget)
      : OfCollected(collected_in_order(call.type, call, budget), budget), type_(call.type) {}

  ColumnPtr finish(uint32_t first, uint32_t count, const Cancellation* cancellation) const override {
    std::vector<uint32_t> order;
    return values_.template column<T>(type_, first, count, budget_, cancellation, [&](Collected::Rows rows) {
      order.assign(rows.begin(), rows.end());
      values_.sort(order);
      return value(most_frequent(order));
    });
  }

 private:
  T value(uint32_t row) const { return values_.template value<T>(row); }

  /// The first row, in order, with the most frequent value.
  uint32_t most_frequent(const std::vector<uint32_t>& rows) const {
    std::vector<uint32_t> sorted(
        rows.size());  // positions in `rows`, equal values adjacent, the first row first
    for (uint32_t i = 0; i < sorted.size(); ++i) sorted[i] = i;
    std::stable_sort(sorted.begin(), sorted.end(),
                     [&](uint32_t a, uint32_t b) { return less(value(rows[a]), value(rows[b])); });
    uint32_t best = 0;
    size_t most = 0;
    for (size_t start = 0, end = 0; start < sorted.size(); start = end) {
      const T mine = value(rows[sorted[start]]);
      end = start + 1;
      while (end < sorted.size() && same(mine, value(rows[sorted[end]]))) ++end;
      if (end - start > most || (end - start == most && sorted[start] < best)) {
        most = end - start;
        best = sorted[start];
      }
    }
    return rows[best];
  }

  Type type_;
};

std::unique_ptr<Accumulator> make_mode(const plan::AggregateCall& call, MemoryBudget* budget) {
  return visit(call.type.physical(), [&](auto zero) -> std::unique_ptr<Accumulator> {
    return std::make_unique<Mode<decltype(zero)>>(call, budget);
  });
}

constexpr AggregateFunction kModeFunctions[] = {
    {.name = "mode",
     .order_matters = true,
     .resolve = same_type,
     .make = make_mode,
     .documentation = "The most frequent value; of several the one that comes first.",
     .example = "SELECT mode(x) FROM (VALUES (1), (2), (2)) t(x) -- 2",
     .compares_values = false,
     .needs_all_rows = true},
};

}  // namespace

std::span<const AggregateFunction> mode_functions() { return kModeFunctions; }

}  // namespace lanewise::ops
