// Automata's kernels on a GPU, a real one or the emulated one: every row is walked over once, late rows too.
#include "ops/filter/gpu/match.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <map>
#include <utility>
#include <vector>

#include "base/random.h"
#include "codegen/kernel_text.h"
#include "gpu/modules/kernels.h"
#include "gpu/testing/gpu.h"
#include "ops/filter/gpu/match_kernels.h"

namespace lanewise::ops {
namespace match_test {

constexpr uint64_t kWalk = 16;  // bytes that a lane loads and steps over at once

/// Lengths of rows, and which of them are tested.
struct Rows {
  std::vector<uint64_t> lengths;
  kernel::Asked asked = kernel::Asked::kAll;
  std::function<bool(size_t)> is_asked = [](size_t) { return true; };
};

std::vector<uint64_t> lengths_of(size_t rows, const std::function<uint64_t(size_t)>& length) {
  std::vector<uint64_t> lengths(rows);
  for (size_t i = 0; i < rows; ++i) lengths[i] = length(i);
  return lengths;
}

/// One in 64 has 512 to 1,535 bytes, the others 8 to 40.
std::vector<uint64_t> skewed(size_t rows) {
  Random random(rows);
  return lengths_of(
      rows, [&](size_t) { return random.below(64) == 0 ? 512 + random.below(1024) : 8 + random.below(33); });
}

class MatchesOnGpu : public gpu::GpuTest {
 protected:
  MatchesOnGpu() : GpuTest(LANEWISE_SOURCE_DIR) {}

  /// Walks over `rows` with an automaton that accepts every text: all rows that are tested are hits, and
  /// lanes take as many live steps as these rows' walks have, no matter which lane has which row. Returns the
  /// steps.
  template <class Offset>
  kernel::LaneSteps walk(const Rows& rows, unsigned warps, uint32_t refill_below) {
    const size_t count = rows.lengths.size();
    std::vector<Offset> offsets{3};
    for (const uint64_t length : rows.lengths)
      offsets.push_back(static_cast<Offset>(offsets.back() + length));
    std::vector<uint32_t> bits((count + 63) / 64 * 2), list;
    uint64_t live = 0;
    for (size_t i = 0; i < count; ++i) {
      if (!rows.is_asked(i)) continue;
      bits[i / 32] |= 1u << i % 32;
      list.push_back(static_cast<uint32_t>(i));
      live += std::max<uint64_t>((offsets[i + 1] + kWalk - 1) / kWalk - offsets[i] / kWalk, 1) * kWalk;
    }
    const gpu::DeviceBuffer on = upload(offsets), text = upload(std::vector<uint8_t>(offsets.back() + 64)),
                            table = upload(std::vector<uint8_t>(256)),
                            hits = upload(std::vector<uint32_t>(bits.size())),
                            steps = upload(std::vector<kernel::LaneSteps>(1)),
                            active = upload(rows.asked == kernel::Asked::kList ? list : bits);
    kernel::CountedMatchJob job{};
    job.rows = rows.asked == kernel::Asked::kList ? list.size() : count;
    job.offsets = on.address();
    job.bytes = text.address();
    job.active = active.address();
    job.hits = hits.address();
    job.table = table.address();
    job.table_bytes = 256;
    job.refill_below = refill_below;
    job.look = refill_below == 1 ? 0 : 1024;
    job.verdicts = {.start = 0, .end_accept = 0, .decided_bias = 0, .decided = 1};
    job.lane_steps = steps.address();
    kernels(sizeof(Offset) == 8, rows.asked)
        .kernel("match_pattern")
        .launch(*stream_, {.blocks = 1, .threads = 32 * warps, .shared = 256}, job);
    EXPECT_EQ(fetch<uint32_t>(hits, bits.size()), bits);
    const kernel::LaneSteps found = fetch<kernel::LaneSteps>(steps, 1)[0];
    EXPECT_EQ(found.live, live);
    return found;
  }

  /// All forms of rows and offsets.
  void walk_all(const std::vector<uint64_t>& lengths, unsigned warps) {
    for (const kernel::Asked asked : {kernel::Asked::kAll, kernel::Asked::kBitmap, kernel::Asked::kList}) {
      for (const size_t in : {size_t{1}, size_t{3}, size_t{100}}) {
        if (in != 1 && asked == kernel::Asked::kAll) continue;
        Rows rows{.lengths = lengths, .asked = asked, .is_asked = [&](size_t i) { return i % in == in / 2; }};
        for (const uint32_t refill_below : {1u, 24u, 32u}) {
          SCOPED_TRACE(testing::Message()
                       << lengths.size() << " rows, form " << int(asked) << ", one in " << in
                       << ", refilled below " << refill_below << ", warps: " << warps);
          walk<uint32_t>(rows, warps, refill_below);
          walk<uint64_t>(rows, warps, refill_below);
        }
      }
    }
  }

 private:
  const gpu::Module& kernels(bool wide_offsets, kernel::Asked asked) {
    const std::pair key(wide_offsets, asked);
    auto found = kernels_.find(key);
    if (found == kernels_.end()) {
      const MatchKind kind = match_kind(text::compile_regex("[ab]{2}"), false, {});
      const codegen::KernelText text = match_text("match_0", kind, wide_offsets, asked, true);
      found = kernels_.emplace(key, gpu::build(*gpu_, codegen::kernel_source(text.text())).module).first;
    }
    return found->second;
  }

  std::map<std::pair<bool, kernel::Asked>, gpu::Module> kernels_;
};

double occupancy(const kernel::LaneSteps& steps) {
  return static_cast<double>(steps.live) / static_cast<double>(steps.all);
}

TEST(Match, LooksForLateRowsWhereTheyCost) {
  EXPECT_EQ(look_for_late(0, 1), 0u);
  EXPECT_EQ(look_for_late(64, 65), 0u);   // all of one length
  EXPECT_EQ(look_for_late(120, 65), 0u);  // 8 to 120
  EXPECT_EQ(look_for_late(127, 1), 0u);   // short ones all
  EXPECT_EQ(look_for_late(400, 50), 256u);
  EXPECT_EQ(look_for_late(1535, 40), 1024u);
  EXPECT_EQ(look_for_late(uint64_t{1} << 40, 1), 1024u);
}

TEST_F(MatchesOnGpu, EveryRowIsWalkedOnce) {
  for (const size_t rows : {0, 1, 31, 32, 33, 63, 64, 65, 1'055, 1'056, 1'057, 5'000}) {
    walk_all(skewed(rows), 1);
    walk_all(skewed(rows), 2);
  }
}

TEST_F(MatchesOnGpu, WhereverTheLongOnesAre) {
  const auto long_where = [&](size_t rows, const std::function<bool(size_t)>& is_long) {
    walk_all(lengths_of(rows, [&](size_t i) { return is_long(i) ? 700 + i % 50 : i % 20; }), 1);
  };
  for (const size_t rows : {34, 64, 100, 1'500}) {
    long_where(rows, [&](size_t i) { return i + 1 == rows; });
    long_where(rows, [&](size_t i) { return i + 16 >= rows; });
    long_where(rows, [&](size_t i) { return i + 17 >= rows; });
    long_where(rows, [&](size_t i) { return i + 100 >= rows; });
    long_where(rows, [&](size_t i) { return i < 33; });
    long_where(rows, [&](size_t i) { return i % 33 == 32; });
    long_where(rows, [&](size_t i) { return i % 100 == 99 || i < 32; });
  }
  // More late rows than lanes: each longer than all that comes after it by lanes.
  walk_all(lengths_of(1'500, [](size_t i) { return i % 31 == 0 ? 200 + (1'500 - i) * 3 : i % 7; }), 1);
}

TEST_F(MatchesOnGpu, LanesThatWaitTakeRowsInOrder) {
  const std::vector<uint64_t> lengths = skewed(2'000);
  uint64_t walks = 0, at = 3;
  for (size_t i = 0; i < lengths.size(); i += 32) {
    uint64_t most = 0;
    for (size_t k = i; k < std::min(i + 32, lengths.size()); at += lengths[k++])
      most = std::max(most, (at + lengths[k] + kWalk - 1) / kWalk - at / kWalk);
    walks += most;
  }
  EXPECT_EQ(walk<uint32_t>({.lengths = lengths}, 1, 1).all, walks * kWalk * 32);
}

TEST_F(MatchesOnGpu, LateRowsFirstKeepLanesBusy) {
  const size_t rows = 7'968;  // of a warp, where 2^26 go to an H200's 8,448
  const std::vector<uint64_t> lengths = skewed(rows);
  for (const kernel::Asked asked : {kernel::Asked::kAll, kernel::Asked::kBitmap, kernel::Asked::kList}) {
    EXPECT_GT(occupancy(walk<uint32_t>({.lengths = lengths, .asked = asked}, 1, 32)), 0.975) << int(asked);
    EXPECT_GT(occupancy(walk<uint32_t>({.lengths = lengths, .asked = asked}, 1, 24)), 0.91) << int(asked);
  }
  // The last 15 rows take some 60 walks; the others, which take one or two, keep the other 17 lanes busy.
  const auto late = lengths_of(800, [](size_t i) { return i >= 785 ? 961 : 13; });
  EXPECT_GT(occupancy(walk<uint32_t>({.lengths = late}, 1, 32)), 0.9);
}

}  // namespace match_test
}  // namespace lanewise::ops
