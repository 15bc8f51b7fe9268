#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>
#include <utility>
#include <vector>

#include "base/testing/test_size.h"
#include "lanes/testing/guarded.h"
#include "primitives/pair_kernels.h"

namespace lanewise::kernels {
namespace {

using lanes::PairForm;

using Written = std::vector<std::pair<uint32_t, uint32_t>>;

struct Input {
  std::vector<uint32_t> counts;  // by row
  std::vector<uint32_t> firsts;
  std::vector<uint32_t> order;  // empty: places are matches
  uint32_t pairs = 0;

  Input(std::vector<uint32_t> rows, bool ordered) : counts(std::move(rows)) {
    for (const uint32_t count : counts) {
      firsts.push_back(pairs);
      pairs += count;
    }
    if (!ordered) return;
    order.resize(pairs + PairRuns::kLanes);
    std::iota(order.begin(), order.end(), 0);
    std::shuffle(order.begin(), order.begin() + pairs, std::mt19937(1));
  }

  uint32_t match(uint32_t place) const { return order.empty() ? place : order[place]; }
  Written expected() const {
    Written pairs;
    for (uint32_t row = 0; row < counts.size(); ++row) {
      for (uint32_t i = 0; i < counts[row]; ++i) pairs.emplace_back(row + 7, match(firsts[row] + i));
    }
    return pairs;
  }
};

/// Rows in blocks, pairs in at most `most` at a time.
Written write(const Input& in, const PairKernels& kernels, PairForm form, uint32_t block, uint32_t most) {
  PairRuns runs;
  runs.order = in.order.empty() ? nullptr : in.order.data();
  WritePairs* const kernel = kernels.of(form);
  lanes::Guarded<uint32_t> rows(most + PairRuns::kLanes), matches(most + PairRuns::kLanes);
  Written written;
  for (uint32_t at = 0;;) {
    if (runs.at == runs.end && !runs.last) {
      runs.at = runs.end = 0;
      for (; at < in.counts.size() && runs.end < block; ++at) {
        if (in.counts[at] == 0) continue;
        runs.row[runs.end] = at + 7;
        runs.first[runs.end] = in.firsts[at];
        runs.count[runs.end++] = in.counts[at];
      }
      runs.last = at == in.counts.size();
      std::fill_n(runs.count + runs.end, PairRuns::kLanes, 0);
    }
    const uint32_t count = kernel(runs, most, rows.data(), matches.data());
    EXPECT_LE(count, most);
    for (uint32_t i = 0; i < count; ++i) written.emplace_back(rows[i], matches[i]);
    if (count == 0 && runs.at == runs.end && runs.last) break;
  }
  EXPECT_GE(runs.vectors * kernels.lanes, written.size());
  return written;
}

const std::vector<std::vector<uint32_t>> kShapes = [] {
  std::vector<std::vector<uint32_t>> shapes = {{}, {0, 0, 0}, {1}, {1000}, {0, 5, 0}, {3000, 1, 1, 1, 2000}};
  for (const uint32_t length : {1, 2, 7, 8, 9, 15, 16, 17, 31, 32, 33, 1000})
    shapes.emplace_back(150, length);
  std::mt19937 random(3);
  std::vector<uint32_t>& mixed = shapes.emplace_back(700);
  for (uint32_t& count : mixed) count = random() % 64 == 0 ? 1000 : random() % 40;
  std::vector<uint32_t>& few = shapes.emplace_back(700);
  for (uint32_t& count : few) count = random() % 3;
  return shapes;
}();

TEST(WritePairs, AsRowByRow) {
  static const auto mosts = test_size<std::vector<uint32_t>>({1, 16, 100}, {1, 2, 15, 16, 17, 100, 8192});
  static const auto blocks = test_size<std::vector<uint32_t>>({20}, {1, 20, 256});
  for (const lanes::Target target : lanes::supported_targets()) {
    const PairKernels& kernels = pairs_of(target);
    for (const std::vector<uint32_t>& counts : kShapes) {
      for (const bool ordered : {false, true}) {
        const Input in(counts, ordered);
        const Written expected = in.expected();
        for (const uint32_t most : mosts) {
          if (most < 100 && in.pairs > 10'000) continue;
          for (const uint32_t block : blocks) {
            for (const PairForm form : lanes::kPairForms) {
              Written written = write(in, kernels, form, block, most);
              if (form == PairForm::naive || form == PairForm::refill) {
                // Rows alternate, but each row's matches stay in their order.
                std::stable_sort(written.begin(), written.end(),
                                 [](const auto& a, const auto& b) { return a.first < b.first; });
              }
              ASSERT_EQ(written, expected) << lanes::name(target) << " " << lanes::name(form) << " most "
                                           << most << " block " << block << " rows " << counts.size();
            }
          }
        }
      }
    }
  }
}

/// Runs of 1, and one of `lanes` that has `length`: what naive waits for, and the others do not.
TEST(WritePairs, LaneUse) {
  for (const lanes::Target target : lanes::supported_targets()) {
    const PairKernels& kernels = pairs_of(target);
    if (kernels.lanes == 1) continue;
    std::vector<uint32_t> counts(256, 1);
    for (size_t i = 0; i < counts.size(); i += kernels.lanes) counts[i] = 32;
    const auto use = [&](PairForm form) {
      PairRuns runs;
      const Input in(counts, false);
      std::iota(runs.row, runs.row + 256, 0);
      std::copy(in.firsts.begin(), in.firsts.end(), runs.first);
      std::copy(in.counts.begin(), in.counts.end(), runs.count);
      std::fill_n(runs.count + 256, PairRuns::kLanes, 0);
      runs.end = 256;
      runs.last = true;
      std::vector<uint32_t> rows(20'000), matches(20'000);
      const uint32_t pairs = kernels.of(form)(runs, 16'384, rows.data(), matches.data());
      EXPECT_EQ(pairs, in.pairs);
      return double(pairs) / double(runs.vectors * kernels.lanes);
    };
    EXPECT_DOUBLE_EQ(use(PairForm::naive), (31.0 + kernels.lanes) / (32.0 * kernels.lanes));
    EXPECT_GT(use(PairForm::refill), 2 * use(PairForm::naive));
    EXPECT_GT(use(PairForm::balanced), 0.97);
    EXPECT_GT(use(PairForm::mixed), use(PairForm::whole));
  }
}

}  // namespace
}  // namespace lanewise::kernels
