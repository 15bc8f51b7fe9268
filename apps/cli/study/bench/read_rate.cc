#include "study/bench/read_rate.h"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <numeric>
#include <vector>

#include "study/bench/team.h"
#include "study/data/random.h"

namespace lanewise::cli::bench {

namespace {

constexpr int kReadRuns = 5;

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

std::vector<uint64_t> words_of_memory(size_t count, const Cancellation& cancellation) {
  std::vector<uint64_t> words;
  words.reserve(count);
  while (words.size() < count) {
    cancellation.check();
    words.insert(words.end(), count / 64, 1);
  }
  return words;
}

}  // namespace

double read_rate(const Cancellation& cancellation) {
  const std::vector<uint64_t> words = words_of_memory(size_t{1} << 26, cancellation);
  constexpr size_t kPart = size_t{1} << 20;  // words: a time so short that some runs are not interrupted
  double best = 0;
  for (int run = 0; run < kReadRuns; ++run) {
    for (size_t first = 0; first + kPart <= words.size(); first += kPart) {
      cancellation.check();
      const auto start = std::chrono::steady_clock::now();
      volatile uint64_t sum = std::accumulate(&words[first], &words[first] + kPart, uint64_t{0});
      (void)sum;
      best = std::max(best, kPart * sizeof(uint64_t) / seconds_since(start));
    }
  }
  return best;
}

double read_rate(const Cancellation& cancellation, int threads) {
  const auto team = static_cast<size_t>(threads);
  const size_t part = (size_t{1} << 26) / team / 64 * 64;
  std::vector<std::vector<uint64_t>> words;
  for (size_t i = 0; i < team; ++i) words.push_back(words_of_memory(part, cancellation));
  double best = 0;
  for (int run = 0; run < kReadRuns; ++run) {
    cancellation.check();
    const double seconds = run_team(threads, false, [&](int i) {
      const auto& mine = words[static_cast<size_t>(i)];
      volatile uint64_t sum = std::accumulate(mine.begin(), mine.end(), uint64_t{0});
      (void)sum;
    });
    best = std::max(best, static_cast<double>(part * team * sizeof(uint64_t)) / seconds);
  }
  return best;
}

RandomReads random_reads(const Cancellation& cancellation) {
  constexpr size_t kWords = size_t{1} << 26;  // half a GiB
  constexpr uint64_t kReads = 1 << 16;
  const std::vector<uint64_t> words = words_of_memory(kWords, cancellation);
  RandomReads best;
  for (int run = 0; run < 20 * kReadRuns; ++run) {
    cancellation.check();
    uint64_t sum = 0;
    auto start = std::chrono::steady_clock::now();
    for (uint64_t i = 0; i < kReads; ++i)
      sum += words[scramble(i + kReads * static_cast<uint64_t>(run)) % kWords];
    best.independent = std::max(best.independent, kReads / seconds_since(start));
    start = std::chrono::steady_clock::now();
    constexpr uint64_t kDependent = kReads / 8;
    for (uint64_t i = 0, at = sum; i < kDependent; ++i)
      sum += at = words[scramble(at + i + kReads * static_cast<uint64_t>(run)) % kWords] + i;
    best.dependent = std::max(best.dependent, kDependent / seconds_since(start));
    volatile uint64_t kept = sum;
    (void)kept;
  }
  return best;
}

}  // namespace lanewise::cli::bench
