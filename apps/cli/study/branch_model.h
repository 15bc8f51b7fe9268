#pragma once

#include <cstdint>

#include "study/bench/bench.h"

namespace lanewise::cli::study {

/// A saturating counter of two bits, which predicts a branch from its own past: the predictor of textbooks,
/// not that of any real processor.
class TwoBitPredictor {
 public:
  /// Whether the prediction was wrong.
  bool mispredicts(bool taken) {
    const bool wrong = (state_ >= 2) != taken;
    state_ += taken ? (state_ < 3) : -(state_ > 0);
    return wrong;
  }

 private:
  int state_ = 1;  // 0, 1: not taken
};

/// A cache of lines of 64 bytes; each set keeps the lines that were used last.
class CacheModel {
 public:
  CacheModel(uint32_t sets, uint32_t ways) : ways_(ways), lines_(uint64_t{sets} * ways, ~uint64_t{0}) {}
  bool misses(uint64_t address);

 private:
  uint32_t ways_;
  std::vector<uint64_t> lines_;  // of each set, the last used first
};

/// The loops of the study of 2019, in these models.
enum class ModelledWork { filter, sum, count, min, max };
const char* name(ModelledWork work);

/// `rows` values, of which `percent` are the filter's, in contiguous ranges of `threads` that advance
/// together and share the cache. Two levels: a loop test (and the work's own branches) for each row, and a
/// loop test for eight rows. They have no times, only events per row.
bench::Group modelled(ModelledWork work, uint64_t rows, double percent, int threads, uint64_t seed);

}  // namespace lanewise::cli::study
