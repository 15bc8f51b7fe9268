#include "study/bench/read_rate.h"

#include <chrono>
#include <cstdint>
#include <numeric>
#include <vector>

namespace lanewise::cli::bench {

double read_rate(const Cancellation& cancellation) {
  using Clock = std::chrono::steady_clock;
  constexpr int kRuns = 5;
  constexpr size_t kWords = size_t{1} << 26, kPart = kWords / 64;
  std::vector<uint64_t> words;
  words.reserve(kWords);
  while (words.size() < kWords) {
    cancellation.check();
    words.insert(words.end(), kPart, 1);
  }
  double best = 0;
  for (int run = 0; run < kRuns; ++run) {
    cancellation.check();
    const auto start = Clock::now();
    volatile uint64_t sum = std::accumulate(words.begin(), words.end(), uint64_t{0});
    (void)sum;
    const std::chrono::duration<double> time = Clock::now() - start;
    best = std::max(best, static_cast<double>(words.size() * sizeof(uint64_t)) / time.count());
  }
  return best;
}

}  // namespace lanewise::cli::bench
