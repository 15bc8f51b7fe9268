#include "primitives/text_sort.h"

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstring>

#include "primitives/parallel.h"

namespace lanewise {

namespace {

constexpr size_t kSmall = 24;               // below: compare whole strings
constexpr size_t kShare = size_t{1} << 15;  // rows that one task prepares
constexpr size_t kAhead = 12;               // rows: about the latency of memory

/// Eight bytes from `depth` on as a number that orders as they do; past the end zeros.
uint64_t eight_bytes(std::string_view text, size_t depth) {
  if (depth >= text.size()) return 0;
  const size_t left = text.size() - depth;
  uint64_t word = 0;
  std::memcpy(&word, text.data() + depth, std::min<size_t>(left, 8));
  return __builtin_bswap64(word);
}

/// How many bytes from `depth` on are the same, at most `limit`.
size_t common(std::string_view a, std::string_view b, size_t depth, size_t limit) {
  const size_t end = std::min({a.size(), b.size(), depth + limit});
  size_t at = depth;
  for (; at + 8 <= end; at += 8) {
    uint64_t x, y;
    std::memcpy(&x, a.data() + at, 8);
    std::memcpy(&y, b.data() + at, 8);
    if (x != y) return at + static_cast<size_t>(std::countr_zero(x ^ y)) / 8 - depth;
  }
  while (at < end && a[at] == b[at]) ++at;
  return at - depth;
}

class Sorter {
 public:
  Sorter(std::span<const std::string_view> texts, bool descending, const Cancellation* cancellation)
      : texts_(texts), descending_(descending), cancellation_(cancellation) {}

  /// Rows whose strings agree in their first `depth` bytes.
  void sort(std::span<KeyRow> rows, KeyRow* scratch, size_t depth) const {
    if (rows.size() <= kSmall) return sort_small(rows, depth);
    if (cancellation_ != nullptr) cancellation_->check();
    depth += common_depth(rows, depth);
    for_shares(rows.size(), [&](size_t first, size_t last) {
      for (size_t i = first; i < last; ++i) {
        if (i + kAhead < last) __builtin_prefetch(texts_[rows[i + kAhead].row].data() + depth);
        const uint64_t word = eight_bytes(texts_[rows[i].row], depth);
        rows[i].key = descending_ ? ~word : word;
      }
    });
    radix_sort(rows, scratch, cancellation_);
    for_shares(rows.size(), [&](size_t first, size_t last) {
      // Runs belong to the share that they start in.
      while (first > 0 && first < rows.size() && rows[first].key == rows[first - 1].key) ++first;
      for (size_t start = first; start < last;) {
        size_t end = start + 1;
        while (end < rows.size() && rows[end].key == rows[start].key) ++end;
        if (end - start > 1) sort_run(rows.subspan(start, end - start), scratch + start, depth);
        start = end;
      }
    });
  }

 private:
  template <class F>
  static void for_shares(size_t count, F f) {
    if (count <= kShare) return f(size_t{0}, count);
    parallel_for((count + kShare - 1) / kShare,
                 [&](size_t share) { f(share * kShare, std::min((share + 1) * kShare, count)); });
  }

  size_t common_depth(std::span<const KeyRow> rows, size_t depth) const {
    const std::string_view first = texts_[rows[0].row];
    std::atomic<size_t> least = first.size() - std::min(first.size(), depth);
    for_shares(rows.size(), [&](size_t from, size_t to) {
      size_t mine = least.load(std::memory_order_relaxed);
      for (size_t i = from; i < to && mine != 0; ++i) {
        if (i + kAhead < to) __builtin_prefetch(texts_[rows[i + kAhead].row].data() + depth);
        mine = common(first, texts_[rows[i].row], depth, mine);
      }
      size_t now = least.load(std::memory_order_relaxed);
      while (mine < now && !least.compare_exchange_weak(now, mine, std::memory_order_relaxed)) {
      }
    });
    return least;
  }

  /// Rows that agree in eight more bytes, zeros past their ends included: those that end here come first, the
  /// shorter before the longer ones, then those that go on.
  void sort_run(std::span<KeyRow> rows, KeyRow* scratch, size_t depth) const {
    const auto left_over = [&](const KeyRow& row) {
      return texts_[row.row].size() - std::min(texts_[row.row].size(), depth);
    };
    bool goes_on = true;
    for (KeyRow& row : rows) {
      row.key = std::min<size_t>(left_over(row), 9);
      goes_on &= row.key == 9;
      if (descending_) row.key = ~row.key;
    }
    if (!goes_on) radix_sort(rows, scratch, cancellation_);
    const uint64_t longer = descending_ ? ~uint64_t{9} : 9;
    const auto [first, last] =
        std::equal_range(rows.begin(), rows.end(), KeyRow{longer, 0},
                         [](const KeyRow& a, const KeyRow& b) { return a.key < b.key; });
    if (last - first > 1) sort({first, last}, scratch + (first - rows.begin()), depth + 8);
  }

  void sort_small(std::span<KeyRow> rows, size_t depth) const {
    const auto tail = [&](const KeyRow& row) {
      return texts_[row.row].substr(std::min(texts_[row.row].size(), depth));
    };
    for (size_t i = 1; i < rows.size(); ++i) {
      const KeyRow row = rows[i];
      const std::string_view text = tail(row);
      size_t at = i;
      for (; at > 0; --at) {
        const int order = text.compare(tail(rows[at - 1]));
        if (descending_ ? order <= 0 : order >= 0) break;
        rows[at] = rows[at - 1];
      }
      rows[at] = row;
    }
  }

  std::span<const std::string_view> texts_;
  bool descending_;
  const Cancellation* cancellation_;
};

}  // namespace

void text_sort(std::span<KeyRow> rows, KeyRow* scratch, std::span<const std::string_view> texts,
               bool descending, const Cancellation* cancellation) {
  Sorter(texts, descending, cancellation).sort(rows, scratch, 0);
}

}  // namespace lanewise
