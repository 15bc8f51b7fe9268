#pragma once

#include <algorithm>
#include <cstdint>

#include "base/memory.h"
#include "ops/aggregate/accumulators/accumulator.h"

namespace lanewise::ops {

/// Which groups have had a value: sums and extremes of the others are NULL. Most chunks cost nothing: a
/// group made by a chunk has a row in that chunk, so without FILTER and NULLs all groups are seen.
class Seen {
 public:
  explicit Seen(MemoryBudget* budget) : flags_(budget, kGroupBy) {}

  void resize(uint32_t groups) {
    const size_t before = flags_.size();
    flags_.resize(groups);
    std::fill_n(flags_.data() + before, groups - before, uint8_t{0});
    unseen_ += groups - before;
    fresh_ += groups - before;
  }
  /// Marks the groups of `rows`, a subset of input.rows.
  void mark(const AggregateInput& input, const ActiveSet& rows) {
    const bool complete =
        input.groups == nullptr ? !rows.none() : input.every_new_group && rows.count() == input.rows.count();
    if (complete && unseen_ == fresh_) {
      std::fill_n(flags_.data() + flags_.size() - fresh_, fresh_, uint8_t{1});
      unseen_ = 0;
    }
    fresh_ = 0;
    if (unseen_ != 0) for_each_row(input, rows, [&](uint32_t, uint32_t group) { mark(group); });
  }
  void mark(uint32_t group) {
    unseen_ -= flags_[group] == 0;
    flags_[group] = 1;
  }
  void merge(const Seen& other, std::span<const uint32_t> from, const uint32_t* to) {
    for (size_t i = 0; i < from.size(); ++i) {
      if (other[from[i]]) mark(to[i]);
    }
  }
  bool operator[](uint32_t group) const { return flags_[group] != 0; }

 private:
  BufferBuilder<uint8_t> flags_;
  size_t unseen_ = 0;
  size_t fresh_ = 0;  // the last groups, made since the last mark()
};

}  // namespace lanewise::ops
