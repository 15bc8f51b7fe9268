#include "primitives/sort/radix_sort.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <utility>
#include <vector>

#include "primitives/parallel.h"

namespace lanewise {

namespace {

constexpr size_t kInsertion = 32;            // below: insertion sort
constexpr size_t kCached = size_t{1} << 14;  // rows: with their scratch half of a core's second-level cache
constexpr int kMostBits = 11;  // of one partition: its write positions stay in the first-level cache
constexpr size_t kParallel = size_t{1} << 18;  // minimum rows for a separate task
constexpr size_t kMostShares = 256;

void insertion_sort(KeyRow* rows, size_t count) {
  for (size_t i = 1; i < count; ++i) {
    const KeyRow row = rows[i];
    size_t at = i;
    for (; at > 0 && row.key < rows[at - 1].key; --at) rows[at] = rows[at - 1];
    rows[at] = row;
  }
}

/// Byte by byte from the lowest one, but only as many of the highest differing bytes as
/// separate most rows; the few runs of rows that are then equal are sorted by the rest. Bytes that are
/// the same in all keys are skipped.
void sort_cached(KeyRow* rows, size_t count, KeyRow* scratch, uint64_t varying) {
  if (count <= kInsertion) return insertion_sort(rows, count);
  constexpr int kSpareBits = 4;
  int lowest = 64;
  for (int bits = 0; lowest > 0 && bits < std::bit_width(count) + kSpareBits;) {
    lowest -= 8;
    bits += std::popcount(varying >> lowest & 0xff);
  }
  KeyRow* from = rows;
  KeyRow* to = scratch;
  for (int shift = lowest; shift < 64; shift += 8) {
    if ((varying >> shift & 0xff) == 0) continue;
    uint32_t starts[256] = {};
    for (size_t i = 0; i < count; ++i) ++starts[from[i].key >> shift & 0xff];
    uint32_t sum = 0;
    for (uint32_t& start : starts) sum += std::exchange(start, sum);
    for (size_t i = 0; i < count; ++i) to[starts[from[i].key >> shift & 0xff]++] = from[i];
    std::swap(from, to);
  }
  if (from != rows) std::memcpy(rows, from, count * sizeof(KeyRow));

  const uint64_t rest = varying & ((uint64_t{1} << lowest) - 1);
  if (rest == 0) return;
  for (size_t start = 0; start < count;) {
    size_t end = start + 1;
    while (end < count && rows[end].key >> lowest == rows[start].key >> lowest) ++end;
    if (end - start > 1) sort_cached(rows + start, end - start, scratch, rest);
    start = end;
  }
}

/// What a look at all keys shows.
struct Seen {
  uint64_t all = ~uint64_t{0}, any = 0;  // bits of all keys, of any
  bool ascends = true;

  /// Adds rows [first, end) of `rows`.
  void add(const KeyRow* rows, size_t first, size_t end) {
    uint64_t before = first == 0 ? 0 : rows[first - 1].key;
    for (size_t i = first; i < end; ++i) {
      all &= rows[i].key;
      any |= rows[i].key;
      ascends &= before <= rows[i].key;
      before = rows[i].key;
    }
  }
  void add(const Seen& other) {
    all &= other.all;
    any |= other.any;
    ascends &= other.ascends;
  }
  /// The bits in which some keys differ.
  uint64_t varying() const { return all ^ any; }
};

/// The highest `count` bits in which keys differ, as a number: common bits between them are left out.
class Digit {
 public:
  Digit(uint64_t varying, int count) : bits_(std::min(count, std::popcount(varying))) {
    for (int left = bits_; left > 0;) {
      const int skipped = std::countl_zero(varying);
      const int size = std::min(left, std::countl_one(varying << skipped));
      const int low = 64 - skipped - size;
      left -= size;
      fields_[count_++] = {low - left, ((uint64_t{1} << size) - 1) << left};
      varying &= (uint64_t{1} << low) - 1;
    }
  }
  size_t values() const { return size_t{1} << bits_; }
  size_t of(uint64_t key) const {
    size_t digit = 0;
    for (int i = 0; i < count_; ++i) digit |= key >> fields_[i].shift & fields_[i].mask;
    return digit;
  }

 private:
  struct Field {
    int shift;
    uint64_t mask;
  };
  int bits_;
  int count_ = 0;
  std::array<Field, kMostBits> fields_;
};

class Sorter {
 public:
  Sorter(std::span<const KeyRow> wanted, const Cancellation* cancellation)
      : first_wanted_(wanted.data()),
        last_wanted_(wanted.data() + wanted.size()),
        cancellation_(cancellation) {}

  /// Sorts rows[0..count). With `moved` the rows are in `scratch` and are moved to `rows`.
  void sort(KeyRow* rows, size_t count, KeyRow* scratch, bool moved) const {
    KeyRow* from = moved ? scratch : rows;
    if (rows >= last_wanted_ || rows + count <= first_wanted_) {
      if (moved) std::memcpy(rows, scratch, count * sizeof(KeyRow));
      return;
    }
    check();
    const Seen seen = look_at(from, count);
    if (count <= kCached || seen.ascends) {
      if (moved) std::memcpy(rows, scratch, count * sizeof(KeyRow));
      if (!seen.ascends) sort_cached(rows, count, scratch, seen.varying());
      return;
    }
    const Digit digit(seen.varying(),
                      std::min(kMostBits, static_cast<int>(std::bit_width(count / kCached)) + 1));
    const std::vector<size_t> starts = part(from, count, moved ? rows : scratch, digit);
    parallel_for(starts.size() - 1, [&](size_t piece) {
      const size_t first = starts[piece];
      const size_t size = starts[piece + 1] - first;
      if (size != 0) sort(rows + first, size, scratch + first, !moved);
    });
  }

 private:
  void check() const {
    if (cancellation_ != nullptr) cancellation_->check();
  }

  /// Rows are divided into so many shares, for a task each.
  static size_t shares_of(size_t count) { return std::clamp<size_t>(count / kParallel, 1, kMostShares); }
  static size_t share_start(size_t count, size_t share) {
    const size_t shares = shares_of(count);
    return count / shares * share + std::min(share, count % shares);
  }

  static Seen look_at(const KeyRow* rows, size_t count) {
    std::vector<Seen> seen(shares_of(count));
    parallel_for(seen.size(), [&](size_t share) {
      seen[share].add(rows, share_start(count, share), share_start(count, share + 1));
    });
    for (size_t share = 1; share < seen.size(); ++share) seen[0].add(seen[share]);
    return seen[0];
  }

  /// Moves the rows to `to`, partitioned by a digit of the key, in order; returns the partitions' starts.
  std::vector<size_t> part(const KeyRow* from, size_t count, KeyRow* to, const Digit& digit) const {
    const size_t parts = digit.values();
    const size_t shares = shares_of(count);
    const auto part_of = [digit](const KeyRow& row) { return digit.of(row.key); };
    std::vector<std::vector<size_t>> next(shares, std::vector<size_t>(parts));
    parallel_for(shares, [&](size_t share) {
      check();
      size_t* counts = next[share].data();
      for (size_t i = share_start(count, share); i < share_start(count, share + 1); ++i)
        ++counts[part_of(from[i])];
    });
    std::vector<size_t> starts(parts + 1);
    size_t sum = 0;
    for (size_t p = 0; p < parts; ++p) {
      starts[p] = sum;
      for (size_t share = 0; share < shares; ++share) sum += std::exchange(next[share][p], sum);
    }
    starts[parts] = sum;
    parallel_for(shares, [&](size_t share) {
      check();
      size_t* at = next[share].data();
      for (size_t i = share_start(count, share); i < share_start(count, share + 1); ++i)
        to[at[part_of(from[i])]++] = from[i];
    });
    return starts;
  }

  const KeyRow* first_wanted_;
  const KeyRow* last_wanted_;
  const Cancellation* cancellation_;
};

}  // namespace

void radix_sort(std::span<KeyRow> rows, KeyRow* scratch, const Cancellation* cancellation) {
  radix_sort(rows, scratch, rows, cancellation);
}

void radix_sort(std::span<KeyRow> rows, KeyRow* scratch, std::span<const KeyRow> wanted,
                const Cancellation* cancellation) {
  Sorter(wanted, cancellation).sort(rows.data(), rows.size(), scratch, false);
}

}  // namespace lanewise
