#include "study/branch_model.h"

#include <fmt/format.h>

#include <algorithm>

#include "study/data/numbers.h"

namespace lanewise::cli::study {

bool CacheModel::misses(uint64_t address) {
  const uint64_t line = address / 64, sets = lines_.size() / ways_;
  const auto first = lines_.begin() + static_cast<ptrdiff_t>(line % sets * ways_), last = first + ways_;
  const auto found = std::find(first, last, line);
  const bool missed = found == last;
  std::rotate(first, missed ? last - 1 : found, missed ? last : found + 1);
  *first = line;
  return missed;
}

const char* name(ModelledWork work) {
  static constexpr const char* kNames[] = {"filter", "SUM", "COUNT", "MIN", "MAX"};
  return kNames[static_cast<size_t>(work)];
}

namespace {

/// What one thread of a loop over rows does to its core's predictor.
class ModelledLoop {
 public:
  ModelledLoop(ModelledWork work, uint64_t rows_of_test) : work_(work), rows_of_test_(rows_of_test) {}

  /// One row of `value`; `more` follow.
  void row(uint64_t number, int32_t value, bool more) {
    if ((number + 1) % rows_of_test_ == 0 || !more) branch(of_loop_, more);
    if (rows_of_test_ > 1) return;  // vectors select without a branch
    switch (work_) {
      case ModelledWork::filter:
      case ModelledWork::count:
        return branch(of_rows_, value == bench::kTarget);
      case ModelledWork::sum:
        return;
      case ModelledWork::min:
        branch(of_rows_, value < best_ || number == 0);
        best_ = number == 0 ? value : std::min(best_, value);
        return;
      case ModelledWork::max:
        branch(of_rows_, value > best_ || number == 0);
        best_ = number == 0 ? value : std::max(best_, value);
        return;
    }
  }
  double branches = 0, misses = 0;

 private:
  void branch(TwoBitPredictor& predictor, bool taken) {
    ++branches;
    misses += predictor.mispredicts(taken);
  }

  const ModelledWork work_;
  const uint64_t rows_of_test_;
  TwoBitPredictor of_rows_, of_loop_;
  int32_t best_ = 0;
};

bench::Result modelled_level(ModelledWork work, const std::vector<int32_t>& values, uint64_t threads,
                             uint64_t rows_of_test, const char* level) {
  constexpr uint64_t kBitmap = uint64_t{1} << 40;  // its address; the column's is 0
  CacheModel cache(1024, 12);                      // 768 KiB, smaller than the sample's column
  std::vector<ModelledLoop> loops(threads, ModelledLoop(work, rows_of_test));
  double misses = 0;
  const uint64_t rows = values.size();
  for (uint64_t step = 0; step < (rows + threads - 1) / threads; ++step) {
    for (uint64_t thread = 0; thread < threads; ++thread) {
      const uint64_t first = rows * thread / threads, end = rows * (thread + 1) / threads, row = first + step;
      if (row >= end) continue;
      loops[thread].row(step, values[row], row + 1 < end);
      if (work != ModelledWork::count) misses += cache.misses(row * sizeof(int32_t));
      if (work == ModelledWork::filter || work == ModelledWork::count)
        misses += cache.misses(kBitmap + row / 8);
    }
  }
  bench::Events all{0, 0, misses};
  for (const ModelledLoop& loop : loops) all.branches += loop.branches, all.branch_misses += loop.misses;
  return {.level = level, .events = all / static_cast<double>(rows)};
}

}  // namespace

bench::Group modelled(ModelledWork work, uint64_t rows, double percent, int threads, uint64_t seed) {
  const auto values = bench::make_numbers<int32_t>(rows, percent, seed, [] {});
  const auto team = static_cast<uint64_t>(threads);
  bench::Group group;
  group.title = fmt::format("{}, simulated: {:g} % are 3, {} threads", name(work), percent, threads);
  group.about = {{"work", name(work)}, {"selectivity", percent}, {"threads", threads}};
  group.rows = rows;
  group.results = {modelled_level(work, values, team, 1, "a row at a time"),
                   modelled_level(work, values, team, 8, "eight rows at a time")};
  return group;
}

}  // namespace lanewise::cli::study
