#include "ops/scan/bounds/bounds.h"

#include <algorithm>
#include <string_view>

#include "base/bits.h"
#include "data/physical_value.h"
#include "ops/less.h"

namespace lanewise::ops {

namespace {

/// Maximum length of a string in bounds.
constexpr size_t kPrefix = 64;

/// The minimum and the maximum of the valid rows' values; false if there are none. For ascending data one
/// comparison a row.
template <class T, class At>
bool extremes(const Column& column, int64_t first, int64_t rows, At at, T& low, T& high) {
  const bool nulls = column.nulls != 0;
  const int64_t end = first + rows;
  while (nulls && first < end && column.is_null(first)) ++first;
  if (first == end) return false;
  low = high = at(first);
  for (int64_t row = first + 1; row < end; ++row) {
    if (nulls && column.is_null(row)) continue;
    const T value = at(row);
    if (less(high, value)) {
      high = value;
    } else if (less(value, low)) {
      low = value;
    }
  }
  return true;
}

/// Like extremes(), for a dictionary column: each entry is read once.
template <class T, class Entry>
bool extremes_of_codes(const Column& column, int64_t first, int64_t rows, Entry entry, T& low, T& high) {
  const auto* codes = column.values.as<uint32_t>();
  std::vector<uint64_t> seen(bits::words(static_cast<size_t>(column.dictionary->rows)));
  bool any = false;
  for (int64_t row = first; row < first + rows; ++row) {
    if (column.nulls != 0 && column.is_null(row)) continue;
    const uint32_t code = codes[row];
    if (bits::test(seen.data(), code)) continue;
    bits::set(seen.data(), code);
    const T value = entry(code);
    if (!any || less(value, low)) low = value;
    if (!any || less(high, value)) high = value;
    any = true;
  }
  return any;
}

/// Truncates the strings so that they still bound all values.
void set_text(Bounds& bounds, Type type, std::string_view low, std::string_view high) {
  bounds.low = Value(type, std::string(low.substr(0, kPrefix)));
  std::string upper(high.substr(0, kPrefix));
  if (high.size() > kPrefix) {  // the next prefix in order is greater than all strings with this one
    while (!upper.empty() && static_cast<uint8_t>(upper.back()) == 0xFF) upper.pop_back();
    if (upper.empty()) {
      bounds.high_is_open = true;
    } else {
      ++upper.back();
    }
  }
  bounds.high = Value(type, std::move(upper));
}

}  // namespace

Bounds bounds_of(const Column& column, int64_t first, int64_t rows) {
  Bounds bounds;
  bounds.rows = rows;
  if (column.nulls != 0) {
    for (int64_t row = first; row < first + rows; ++row) bounds.nulls += column.is_null(row);
  }
  visit(column.type.physical(), [&](auto zero) {
    using T = decltype(zero);
    T low{}, high{};
    if constexpr (std::is_same_v<T, std::string_view>) {
      if (column.dictionary != nullptr) {
        const auto entry = [&](uint32_t code) { return column.dictionary->text(code); };
        bounds.known = extremes_of_codes(column, first, rows, entry, low, high);
      } else {
        bounds.known =
            extremes(column, first, rows, [&](int64_t row) { return column.text(row); }, low, high);
      }
      if (bounds.known) set_text(bounds, column.type, low, high);
    } else if constexpr (!std::is_same_v<T, Interval>) {
      if (column.dictionary != nullptr) {
        const T* entries = column.dictionary->values.as<T>();
        bounds.known =
            extremes_of_codes(column, first, rows, [&](uint32_t code) { return entries[code]; }, low, high);
      } else {
        const T* values = column.values.as<T>();
        bounds.known = extremes(column, first, rows, [&](int64_t row) { return values[row]; }, low, high);
      }
      if (bounds.known) {
        bounds.low = to_value(column.type, low);
        bounds.high = to_value(column.type, high);
      }
    }
  });
  return bounds;
}

std::vector<Bounds> zones_of(const Column& column) {
  std::vector<Bounds> zones;
  for (int64_t first = 0; first < column.rows; first += kZoneRows) {
    zones.push_back(bounds_of(column, first, std::min(kZoneRows, column.rows - first)));
  }
  return zones;
}

Bounds merge(const std::vector<Bounds>& zones) {
  Bounds all;
  bool unknown = false;
  for (const Bounds& zone : zones) {
    all.rows += zone.rows;
    all.nulls += zone.nulls;
    if (!zone.known) {
      unknown |= zone.nulls != zone.rows;
    } else if (!all.known) {
      all.known = true;
      all.low = zone.low;
      all.high = zone.high;
      all.high_is_open = zone.high_is_open;
    } else {
      if (compare(zone.low, all.low) < 0) all.low = zone.low;
      if (compare(zone.high, all.high) > 0) all.high = zone.high;
      all.high_is_open |= zone.high_is_open;
    }
  }
  all.known &= !unknown;
  return all;
}

}  // namespace lanewise::ops
