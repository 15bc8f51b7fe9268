#include "ops/join/range.h"

#include <algorithm>
#include <ranges>

#include "data/visit-inl.h"
#include "ops/less.h"

namespace lanewise::ops {

using plan::RangeOrder;

namespace {

template <class T>
T value_of(const Column& column, uint32_t row) {
  if constexpr (std::is_same_v<T, std::string_view>) {
    return column.text(row);
  } else {
    return column.values.as<T>()[row];
  }
}

template <class T>
T value_of(const Vector& vector, uint32_t row) {
  if constexpr (std::is_same_v<T, std::string_view>) {
    return vector.text(row);
  } else {
    return vector.as<T>()[vector.constant ? 0 : row];
  }
}

template <class T>
void narrow_as(const plan::JoinRange& range, const Build& build, const Vector& values, const ActiveSet& rows,
               Runs runs) {
  const Column& column = *build.range;
  const bool to_end = reaches_end(range.order);
  // Rows equal to the run's value remain for `<=` and `>=`.
  const bool below_equal = range.order == RangeOrder::kLess || range.order == RangeOrder::kGreaterOrEqual;
  rows.for_each([&](uint32_t row) {
    uint32_t& first = runs.first[row];
    uint32_t& count = runs.count[row];
    if (count == 0 || values.is_null(row)) {
      count = 0;
      return;
    }
    const T wanted = value_of<T>(values, row);
    const auto places = std::views::iota(first, first + count);
    const auto behind_nulls = std::ranges::partition_point(
        places, [&](uint32_t place) { return !column.is_null(build.row(place)); });
    const auto split = std::partition_point(places.begin(), behind_nulls, [&](uint32_t place) {
      const T value = value_of<T>(column, build.row(place));
      return below_equal ? !less(wanted, value) : less(value, wanted);
    });
    const auto at = static_cast<uint32_t>(split - places.begin());
    const auto end = static_cast<uint32_t>(behind_nulls - places.begin());
    const uint32_t begin_left = to_end ? at : 0, end_left = to_end ? end : at;
    count = end_left - begin_left;
    first += begin_left;
    if (!range.nearest || count == 0) return;
    if (!to_end) first += count - 1;
    count = 1;
  });
}

}  // namespace

bool reaches_end(RangeOrder order) { return order == RangeOrder::kLess || order == RangeOrder::kLessOrEqual; }

void narrow_runs(const plan::JoinRange& range, const Build& build, const Vector& values,
                 const ActiveSet& rows, Runs runs) {
  visit(values.type.physical(),
        [&](auto zero) { narrow_as<decltype(zero)>(range, build, values, rows, runs); });
}

}  // namespace lanewise::ops
