#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "primitives/parallel.h"

/// Reduction and prefix sum by any associative operator, on all threads of the caller's arena. `none` is its
/// neutral element; `combine(a, b)` need not commute: values are always combined in order, the same way for
/// any number of threads. The operator decides what happens on overflow.
namespace lanewise {

namespace scans {

/// Values that a thread processes at once, and the number of such parts per window: combined values are still
/// in the cache when they are scanned.
inline constexpr size_t kPart = 8'192, kParts = 32;

/// The combination of some consecutive values: of all, or of those since the last segment started.
template <class T>
struct Part {
  T value;
  bool begins;
};

/// Combines consecutive values in four interleaved runs, so that none waits for the previous one.
template <class T, class Combine>
T combine_run(std::span<const T> values, const T& none, Combine combine) {
  const size_t run = values.size() / 4;
  T sums[4] = {none, none, none, none};
  for (size_t i = 0; i < run; ++i) {
    for (size_t k = 0; k < 4; ++k) sums[k] = combine(sums[k], values[k * run + i]);
  }
  for (size_t i = 4 * run; i < values.size(); ++i) sums[3] = combine(sums[3], values[i]);
  return combine(combine(sums[0], sums[1]), combine(sums[2], sums[3]));
}

/// Scans values in windows of kParts parts: part_of(begin, end) returns the combination of a part, and
/// scan_part(begin, end, before) writes it, given the combination of all previous values.
template <class T, class Combine, class PartOf, class ScanPart>
void in_parts(size_t count, const T& none, Combine combine, PartOf part_of, ScanPart scan_part) {
  std::vector<Part<T>> parts(kParts, {none, false});
  std::vector<T> before(kParts, none);
  T carried = none;
  for (size_t window = 0; window < count; window += kPart * kParts) {
    const size_t here = std::min((count - window + kPart - 1) / kPart, kParts);
    const auto each = [&](auto f) {
      parallel_for(here, [&](size_t part) {
        const size_t begin = window + part * kPart;
        f(part, begin, std::min(begin + kPart, count));
      });
    };
    each([&](size_t part, size_t begin, size_t end) { parts[part] = part_of(begin, end); });
    for (size_t part = 0; part < here; ++part) {
      before[part] = carried;
      carried = parts[part].begins ? parts[part].value : combine(carried, parts[part].value);
    }
    each([&](size_t part, size_t begin, size_t end) { scan_part(begin, end, before[part]); });
  }
}

}  // namespace scans

/// The combination of all values; `none` without values.
template <class T, class Combine>
T reduce(std::span<const T> from, T none, Combine combine) {
  const size_t parts = (from.size() + scans::kPart - 1) / scans::kPart;
  std::vector<T> of_part(parts, none);
  parallel_for(parts, [&](size_t part) {
    const size_t begin = part * scans::kPart;
    of_part[part] =
        scans::combine_run(from.subspan(begin, std::min(scans::kPart, from.size() - begin)), none, combine);
  });
  T all = none;
  for (const T& value : of_part) all = combine(all, value);
  return all;
}

/// For each value, the combination of all values up to it, with (`inclusive`) or without it. `to` has room
/// for as many, and may be `from`.
template <class T, class Combine>
void scan(std::span<const T> from, T* to, bool inclusive, T none, Combine combine) {
  scans::in_parts(
      from.size(), none, combine,
      [&](size_t begin, size_t end) {
        return scans::Part<T>{scans::combine_run(from.subspan(begin, end - begin), none, combine), false};
      },
      [&](size_t begin, size_t end, T value) {
        for (size_t i = begin; i < end; ++i) {
          T next = combine(value, from[i]);
          to[i] = inclusive ? next : value;
          value = next;
        }
      });
}

/// The same, restarted at each value i for which begins(i) is true.
template <class T, class Begins, class Combine>
void segmented_scan(std::span<const T> from, Begins begins, T* to, bool inclusive, T none, Combine combine) {
  scans::in_parts(
      from.size(), none, combine,
      [&](size_t begin, size_t end) {
        size_t start = end;  // start of the last segment
        while (start > begin && !begins(start - 1)) --start;
        const bool found = start > begin;
        if (found) --start;
        return scans::Part<T>{scans::combine_run(from.subspan(start, end - start), none, combine), found};
      },
      [&](size_t begin, size_t end, T value) {
        for (size_t i = begin; i < end; ++i) {
          if (begins(i)) value = none;
          T next = combine(value, from[i]);
          to[i] = inclusive ? next : value;
          value = next;
        }
      });
}

/// The same for rows, each starting at its offset, ascending: rows without values start where the next
/// one does, or after all values.
template <class T, class Combine>
void segmented_scan_rows(std::span<const T> from, std::span<const uint64_t> offsets, T* to, bool inclusive,
                         T none, Combine combine) {
  std::vector<uint8_t> begins(from.size());
  for (const uint64_t offset : offsets) {
    if (offset < begins.size()) begins[offset] = 1;
  }
  segmented_scan(from, [&](size_t i) { return begins[i] != 0; }, to, inclusive, none, combine);
}

}  // namespace lanewise
