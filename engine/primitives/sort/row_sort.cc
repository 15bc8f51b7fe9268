#include "primitives/sort/row_sort.h"

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstring>
#include <mutex>
#include <string_view>
#include <type_traits>

#include "primitives/parallel.h"
#include "primitives/sort/order_words.h"

namespace lanewise {

namespace {

constexpr size_t kSmall = 4;                // strings: below, compare whole strings
constexpr size_t kDeepest = 1 << 14;        // bytes: from here on as well, to bound recursion
constexpr size_t kShare = size_t{1} << 15;  // rows that one task prepares
constexpr size_t kAhead = 16;               // rows to prefetch ahead, for about the latency of memory

template <class F>
void for_shares(size_t count, F f) {
  if (count <= kShare) return f(size_t{0}, count);
  parallel_for((count + kShare - 1) / kShare,
               [&](size_t share) { f(share * kShare, std::min((share + 1) * kShare, count)); });
}

/// Eight bytes from `depth` on as a number of the same order, padded with zeros.
uint64_t eight_bytes(std::string_view text, size_t depth) {
  if (depth >= text.size()) return 0;
  uint64_t word = 0;
  std::memcpy(&word, text.data() + depth, std::min<size_t>(text.size() - depth, 8));
  return __builtin_bswap64(word);
}

/// The length of the common part from `depth` on, at most `limit`.
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

/// A key that is a string.
class Texts {
 public:
  explicit Texts(const RowKey& key) : descending_(key.direction.descending) {
    for (const Column* part : key.parts)
      parts_.push_back({part->offsets.data(), part->values.as<char>(), part->wide_offsets});
  }

  bool descending() const { return descending_; }
  std::string_view operator[](uint64_t row) const {
    const Part& part = parts_[part_of(row)];
    const auto [first, last] = ends(part, row_in_part(row));
    return {part.bytes + first, last - first};
  }
  /// Calls f(i, rows[i]'s text) and prefetches the next ones.
  template <class F>
  void for_each(std::span<const KeyRow> rows, size_t depth, F f) const {
    for (size_t i = 0; i < rows.size(); ++i) {
      if (i + 2 * kAhead < rows.size()) prefetch_offset(rows[i + 2 * kAhead].row);
      if (i + kAhead < rows.size()) __builtin_prefetch((*this)[rows[i + kAhead].row].data() + depth);
      f(i, (*this)[rows[i].row]);
    }
  }

 private:
  struct Part {
    const void* offsets;
    const char* bytes;
    bool wide;
  };
  static std::pair<uint64_t, uint64_t> ends(const Part& part, uint32_t row) {
    if (part.wide) {
      const auto* offsets = static_cast<const uint64_t*>(part.offsets) + row;
      return {offsets[0], offsets[1]};
    }
    const auto* offsets = static_cast<const uint32_t*>(part.offsets) + row;
    return {offsets[0], offsets[1]};
  }
  void prefetch_offset(uint64_t row) const {
    const Part& part = parts_[part_of(row)];
    __builtin_prefetch(static_cast<const char*>(part.offsets) +
                       size_t{row_in_part(row)} * (part.wide ? 8 : 4));
  }

  std::vector<Part> parts_;
  bool descending_;
};

/// Some bits of a key: whether it is NULL, or one word of its value as the difference from the minimum.
class Bits {
 public:
  static constexpr int kNull = -1;

  Bits(const RowKey& key, int word) : key_(key), word_(word) {
    for (const Column* part : key.parts) {
      values_.push_back(part->values.data());
      validity_.push_back(part->nulls == 0 ? nullptr : part->validity.as<uint64_t>());
      nullable_ |= part->nulls != 0;
    }
    if (word == kNull) {
      width_ = nullable_ ? 1 : 0;
    } else {
      find_range();
      width_ = least_ > greatest_ ? 0 : std::bit_width(greatest_ - least_);
    }
  }

  /// Number of bits, up to 64; 0: all rows are equal.
  int width() const { return width_; }

  /// Appends the bits to those already in the keys, or replaces them.
  void put(std::span<KeyRow> rows, bool instead) const {
    const auto put_all = [&](auto address, auto code) {
      for (size_t i = 0; i < rows.size(); ++i) {
        if (i + kAhead < rows.size()) __builtin_prefetch(address(rows[i + kAhead].row));
        const uint64_t bits = code(rows[i].row);
        rows[i].key = instead ? bits : rows[i].key << width_ | bits;
      }
    };
    if (word_ == kNull) {
      const bool first = key_.direction.nulls_first;
      put_all([&](uint64_t row) { return validity_[part_of(row)]; },
              [&](uint64_t row) { return static_cast<uint64_t>(is_null(row) != first); });
      return;
    }
    with_values([&](auto value_at) {
      const auto distance = [&](uint64_t row) {
        const uint64_t word = order_word(*value_at(row), word_);
        return key_.direction.descending ? greatest_ - word : word - least_;
      };
      if (nullable_) {
        put_all(value_at, [&](uint64_t row) { return is_null(row) ? 0 : distance(row); });
      } else {
        put_all(value_at, distance);
      }
    });
  }

 private:
  bool is_null(uint64_t row) const {
    const uint64_t* validity = validity_[part_of(row)];
    return validity != nullptr && !bits::test(validity, row_in_part(row));
  }

  /// Calls f with a function that maps rows to the addresses of their values.
  template <class F>
  void with_values(F f) const {
    visit(key_.type.physical(), [&](auto zero) {
      using T = decltype(zero);
      if constexpr (!std::is_same_v<T, std::string_view>) {
        f([&](uint64_t row) { return static_cast<const T*>(values_[part_of(row)]) + row_in_part(row); });
      }
    });
  }

  /// Minimum and maximum word; including the values under NULLs, which does no harm.
  void find_range() {
    std::mutex mutex;
    parallel_for(values_.size(), [&](size_t part) {
      with_values([&](auto value_at) {
        const auto* values = value_at(row_of(part, 0));
        uint64_t least = ~uint64_t{0};
        uint64_t greatest = 0;
        for (int64_t row = 0; row < key_.parts[part]->rows; ++row) {
          const uint64_t word = order_word(values[row], word_);
          least = std::min(least, word);
          greatest = std::max(greatest, word);
        }
        std::lock_guard lock(mutex);
        least_ = std::min(least_, least);
        greatest_ = std::max(greatest_, greatest);
      });
    });
  }

  const RowKey& key_;
  int word_;
  std::vector<const void*> values_;
  std::vector<const uint64_t*> validity_;
  bool nullable_ = false;
  uint64_t least_ = ~uint64_t{0};
  uint64_t greatest_ = 0;
  int width_ = 0;
};

/// The unit of one sort: bits that fit into a word together, or a string.
struct Stage {
  std::vector<Bits> bits;
  int width = 0;
  std::unique_ptr<Texts> texts;
};

std::vector<Stage> stages_of(std::span<const RowKey> keys) {
  std::vector<Stage> stages;
  const auto add = [&](Bits bits) {
    if (bits.width() == 0) return;
    if (stages.empty() || stages.back().texts || stages.back().width + bits.width() > 64)
      stages.emplace_back();
    stages.back().width += bits.width();
    stages.back().bits.push_back(std::move(bits));
  };
  for (const RowKey& key : keys) {
    add(Bits(key, Bits::kNull));
    for (int word = 0; word < key_width(key.type); ++word) add(Bits(key, word));
    if (key.type.is_string()) stages.emplace_back().texts = std::make_unique<Texts>(key);
  }
  return stages;
}

class RowSorter {
 public:
  RowSorter(std::span<const RowKey> keys, std::span<const KeyRow> wanted, const Cancellation* cancellation)
      : stages_(stages_of(keys)), wanted_(wanted), cancellation_(cancellation) {}

  /// Sorts rows that are equal before `stage`, and in the first `depth` bytes of its strings.
  void sort(std::span<KeyRow> rows, KeyRow* scratch, size_t stage, size_t depth) const {
    if (stage == stages_.size() || rows.size() < 2 || !is_wanted(rows)) return;
    const Texts* texts = stages_[stage].texts.get();
    if (texts != nullptr && (rows.size() <= kSmall || depth > kDeepest))
      return sort_by_comparing(rows, scratch, stage, depth);
    if (texts != nullptr) depth += common_depth(*texts, rows, depth);
    for_shares(rows.size(), [&](size_t first, size_t last) {
      check();
      const auto share = rows.subspan(first, last - first);
      texts != nullptr ? put_eight_bytes(*texts, share, depth) : put_bits(stages_[stage], share);
    });
    radix_sort(rows, scratch, wanted_, cancellation_);
    if (texts == nullptr && stage + 1 == stages_.size()) return;
    for_runs(rows, [&](std::span<KeyRow> run) {
      KeyRow* run_scratch = scratch + (run.data() - rows.data());
      texts != nullptr ? sort_ends(run, run_scratch, stage, depth) : sort(run, run_scratch, stage + 1, 0);
    });
  }

 private:
  void check() const {
    if (cancellation_ != nullptr) cancellation_->check();
  }

  bool is_wanted(std::span<const KeyRow> rows) const {
    return rows.data() < wanted_.data() + wanted_.size() && wanted_.data() < rows.data() + rows.size();
  }

  static void put_bits(const Stage& stage, std::span<KeyRow> rows) {
    for (const Bits& bits : stage.bits) bits.put(rows, &bits == stage.bits.data());
  }

  static void put_eight_bytes(const Texts& texts, std::span<KeyRow> rows, size_t depth) {
    const uint64_t inverted = texts.descending() ? ~uint64_t{0} : 0;
    texts.for_each(rows, depth, [&](size_t i, std::string_view text) {
      rows[i].key = eight_bytes(text, depth) ^ inverted;
    });
  }

  size_t common_depth(const Texts& texts, std::span<const KeyRow> rows, size_t depth) const {
    const std::string_view first = texts[rows[0].row];
    std::atomic<size_t> least = first.size() - std::min(first.size(), depth);
    for_shares(rows.size(), [&](size_t from, size_t to) {
      check();
      size_t mine = least.load(std::memory_order_relaxed);
      for (size_t i = from; i < to && mine != 0; ++i) mine = common(first, texts[rows[i].row], depth, mine);
      size_t now = least.load(std::memory_order_relaxed);
      while (mine < now && !least.compare_exchange_weak(now, mine, std::memory_order_relaxed)) {
      }
    });
    return least;
  }

  /// The start of the first run of each share, and the end; runs belong to the share in which they start.
  static std::vector<size_t> run_starts(std::span<const KeyRow> rows) {
    const size_t shares = (rows.size() + kShare - 1) / kShare;
    std::vector<size_t> starts(shares + 1, rows.size());
    for_shares(rows.size(), [&](size_t first, size_t last) {
      size_t start = first;
      while (start > 0 && start < last && rows[start].key == rows[start - 1].key) ++start;
      if (start < last) starts[first / kShare] = start;
    });
    for (size_t share = shares; share-- > 0;) starts[share] = std::min(starts[share], starts[share + 1]);
    return starts;
  }

  /// Calls f for each two or more adjacent rows of one key; f may change their keys.
  template <class F>
  void for_runs(std::span<KeyRow> rows, F f) const {
    const auto runs_within = [&](size_t start, size_t last) {
      check();
      while (start < last) {
        size_t end = start + 1;
        while (end < last && rows[end].key == rows[start].key) ++end;
        if (end - start > 1) f(rows.subspan(start, end - start));
        start = end;
      }
    };
    if (rows.size() <= kShare) return runs_within(0, rows.size());
    const std::vector<size_t> starts = run_starts(rows);
    parallel_for(starts.size() - 1, [&](size_t share) { runs_within(starts[share], starts[share + 1]); });
  }

  /// Rows whose strings are equal in eight more bytes, including zeros past their ends: those that end here
  /// come first, shorter before longer ones, then the others.
  void sort_ends(std::span<KeyRow> rows, KeyRow* scratch, size_t stage, size_t depth) const {
    if (!is_wanted(rows)) return;
    const Texts& texts = *stages_[stage].texts;
    const uint64_t inverted = texts.descending() ? ~uint64_t{0} : 0;
    constexpr uint64_t kGoesOn = 9;
    bool all_go_on = true;
    texts.for_each(rows, depth, [&](size_t i, std::string_view text) {
      const uint64_t left = std::min<uint64_t>(text.size() - std::min(text.size(), depth), kGoesOn);
      all_go_on &= left == kGoesOn;
      rows[i].key = left ^ inverted;
    });
    if (all_go_on) return sort(rows, scratch, stage, depth + 8);
    radix_sort(rows, scratch, wanted_, cancellation_);
    for_runs(rows, [&](std::span<KeyRow> run) {
      KeyRow* run_scratch = scratch + (run.data() - rows.data());
      (run[0].key ^ inverted) == kGoesOn ? sort(run, run_scratch, stage, depth + 8)
                                         : sort(run, run_scratch, stage + 1, 0);
    });
  }

  void sort_by_comparing(std::span<KeyRow> rows, KeyRow* scratch, size_t stage, size_t depth) const {
    const Texts& texts = *stages_[stage].texts;
    const auto tail = [&](const KeyRow& row) {
      const std::string_view text = texts[row.row];
      return text.substr(std::min(text.size(), depth));
    };
    const auto before = [&](const KeyRow& a, const KeyRow& b) {
      return texts.descending() ? tail(b) < tail(a) : tail(a) < tail(b);
    };
    if (rows.size() > kSmall) {
      check();
      for (size_t i = 0; i < rows.size(); ++i) rows[i].key = i;
      std::sort(rows.begin(), rows.end(), [&](const KeyRow& a, const KeyRow& b) {
        const int order = tail(a).compare(tail(b));
        return order == 0 ? a.key < b.key : (order < 0) != texts.descending();
      });
    } else {
      for (size_t i = 1; i < rows.size(); ++i) {
        const KeyRow row = rows[i];
        size_t at = i;
        for (; at > 0 && before(row, rows[at - 1]); --at) rows[at] = rows[at - 1];
        rows[at] = row;
      }
    }
    if (stage + 1 == stages_.size()) return;
    for (size_t start = 0; start < rows.size();) {
      size_t end = start + 1;
      while (end < rows.size() && tail(rows[end]) == tail(rows[start])) ++end;
      sort(rows.subspan(start, end - start), scratch + start, stage + 1, 0);
      start = end;
    }
  }

  const std::vector<Stage> stages_;
  const std::span<const KeyRow> wanted_;
  const Cancellation* const cancellation_;
};

}  // namespace

void sort_rows(std::span<KeyRow> rows, KeyRow* scratch, std::span<const RowKey> keys,
               std::span<const KeyRow> wanted, const Cancellation* cancellation) {
  RowSorter(keys, wanted, cancellation).sort(rows, scratch, 0, 0);
}

}  // namespace lanewise
