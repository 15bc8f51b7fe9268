#pragma once

#include <algorithm>
#include <utility>

#include "active/active_set.h"
#include "expr/evaluation/evaluate.h"
#include "ops/join/build.h"
#include "primitives/pair_kernels.h"

namespace lanewise::ops {

/// Iterates over the candidates of a chunk's rows: pairs of a row and a row of the build side. Runs are taken
/// in blocks, so that the places of their matches are read ahead; kernels write the pairs of a block.
class Pairs {
 public:
  static constexpr uint32_t kPadding = kernels::PairRuns::kLanes;

  /// The runs of the active rows. All arguments but the context must outlive this object.
  Pairs(const Build& build, const ActiveSet& active, Runs runs, const EvalContext& context)
      : list_(active.list()),
        runs_(runs),
        kernels_(kernels::pairs_of(context.target)),
        write_(kernels_.of(context.tuning.pairs)) {
    if (build.lookup != nullptr && build.lookup->order() && !build.in_order)
      block_.order = build.lookup->order().as<uint32_t>();
  }

  /// The next pairs, at most `most`; 0: none is left. Both arrays have room for kPadding more. Rows whose bit
  /// is set in `done` are skipped from now on. Where it is there, rows have a few pairs in a first round,
  /// more in the next: one may suffice. Null: each row has all of its pairs at once.
  uint32_t next(uint32_t most, uint32_t* rows, uint32_t* matches, const uint64_t* done,
                EvalContext& context) {
    const uint64_t vectors = block_.vectors;
    if (done != nullptr) drop(done);
    uint32_t count = 0;
    while (count < most) {
      if (block_.at == block_.end && !block_.last) take_block(done);
      count += write_(block_, most - count, rows + count, matches + count);
      if (count < most && block_.at == block_.end && block_.last && (count != 0 || !next_round())) break;
    }
    if (context.lanes != nullptr) {
      context.lanes->lane_steps += (block_.vectors - vectors) * kernels_.lanes;
      context.lanes->live_steps += count;
    }
    return count;
  }

 private:
  static constexpr uint32_t kFirstPairs = 8, kGrowth = 8;

  /// Takes the runs of the next rows. The first places of all are read from memory at the same time.
  void take_block(const uint64_t* done) {
    uint32_t taken = 0;
    for (; at_ < list_.size() && taken < kernels::PairRuns::kRuns; ++at_) {
      const uint32_t row = list_[at_], all = runs_.count[row];
      const bool wanted = done == nullptr || !bits::test(done, row);
      const uint32_t end = done == nullptr ? all : static_cast<uint32_t>(std::min<uint64_t>(all, end_));
      const uint32_t count = wanted && begin_ < end ? end - begin_ : 0;
      goes_on_ |= wanted && end < all;
      const uint32_t first = runs_.first[row] + begin_;
      block_.row[taken] = row;
      block_.first[taken] = first;
      block_.count[taken] = count;
      if (block_.order != nullptr) __builtin_prefetch(block_.order + (count != 0 ? first : 0));
      taken += count != 0;
    }
    block_.at = 0;
    end_block(taken);
    block_.last = at_ == list_.size();
  }

  /// Drops the block's rows that are done.
  void drop(const uint64_t* done) {
    uint32_t left = block_.at;
    for (uint32_t i = block_.at; i < block_.end; ++i) {
      block_.row[left] = block_.row[i];
      block_.first[left] = block_.first[i];
      block_.count[left] = block_.count[i];
      left += !bits::test(done, block_.row[i]);
    }
    end_block(left);
  }

  void end_block(uint32_t end) {
    block_.end = end;
    std::fill_n(block_.count + end, kernels::PairRuns::kLanes, 0);
  }

  /// Whether rows have more pairs than those of the rounds so far.
  bool next_round() {
    if (!std::exchange(goes_on_, false)) return false;
    begin_ = static_cast<uint32_t>(end_);
    end_ *= kGrowth;
    at_ = 0;
    block_.last = false;
    return true;
  }

  std::span<const uint32_t> list_;
  Runs runs_;
  const kernels::PairKernels& kernels_;
  kernels::WritePairs* write_;
  kernels::PairRuns block_;
  size_t at_ = 0;       // index in the list, after the block
  uint32_t begin_ = 0;  // of a run's rows: those of the current round
  uint64_t end_ = kFirstPairs;
  bool goes_on_ = false;  // a row has more than those
};

}  // namespace lanewise::ops
