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

bench::Group modelled_branches(uint64_t rows, double percent, uint64_t seed) {
  const auto values = bench::make_numbers<int32_t>(rows, percent, seed, [] {});
  TwoBitPredictor of_rows, of_loop;
  CacheModel cache(1024, 12);  // 768 KiB, smaller than the sample's column
  double branch_misses = 0, cache_misses = 0;
  for (uint64_t row = 0; row < rows; ++row) {
    branch_misses += of_rows.mispredicts(values[row] == bench::kTarget);
    branch_misses += of_loop.mispredicts(row + 1 < rows);
    cache_misses += cache.misses(row * sizeof(int32_t));
  }
  const auto count = static_cast<double>(rows);
  bench::Group group;
  group.title = fmt::format("a branch for each row, simulated: {:g} % selected", percent);
  group.about = {{"work", "branches"}, {"selectivity", percent}};
  group.rows = rows;
  group.results = {{.level = "two-bit predictor",
                    .events = bench::Events{2, branch_misses / count, cache_misses / count}}};
  return group;
}

}  // namespace lanewise::cli::study
