#pragma once

#include "active/active_set.h"
#include "ops/join/build.h"

namespace lanewise::ops {

/// Iterates over the candidates of a chunk's rows: pairs of a row and a row of the build side.
class Pairs {
 public:
  /// The runs of the active rows. All arguments must outlive this object.
  Pairs(const Build& build, const ActiveSet& active, Runs runs)
      : build_(build), list_(active.list()), runs_(runs) {}

  /// The next pairs, at most `most`; 0: none is left. Rows whose bit is set in `done`, which may be
  /// null, are skipped from now on.
  uint32_t next(uint32_t most, uint32_t* rows, uint32_t* matches, const uint64_t* done = nullptr) {
    uint32_t count = 0;
    while (count < most && at_ < list_.size()) {
      const uint32_t row = list_[at_];
      const uint32_t left = runs_.count[row] - emitted_;
      if (left == 0 || (done != nullptr && bits::test(done, row))) {
        ++at_;
        emitted_ = 0;
        continue;
      }
      const uint32_t now = left < most - count ? left : most - count;
      const uint32_t first = runs_.first[row] + emitted_;
      for (uint32_t i = 0; i < now; ++i) {
        rows[count + i] = row;
        matches[count + i] = build_.row(first + i);
      }
      count += now;
      emitted_ += now;
    }
    return count;
  }

 private:
  const Build& build_;
  std::span<const uint32_t> list_;
  Runs runs_;
  size_t at_ = 0;         // index in the list
  uint32_t emitted_ = 0;  // of the current row's run
};

}  // namespace lanewise::ops
