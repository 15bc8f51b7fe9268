// How deferred steps are launched together.
#include "pram/gpu/batch.h"

#include <gtest/gtest.h>

namespace lanewise::pram {
namespace {

using Shape = BatchPart::Shape;

/// Steps with the given numbers of processors, and the distance between the cells of neighbouring ones.
std::vector<BatchStep> steps_of(std::initializer_list<std::pair<uint64_t, uint64_t>> list) {
  std::vector<BatchStep> steps;
  for (const auto& [processors, width] : list) {
    BatchStep& step = steps.emplace_back();
    step.processors = processors;
    step.width = width;
  }
  return steps;
}

/// The up and down sweeps of a scan over a tree of `cells` leaves, a power of two.
std::vector<BatchStep> tree_of(uint64_t cells) {
  std::vector<BatchStep> steps = steps_of({{cells, 1}});
  steps[0].first = {0};
  const auto level = [&](uint64_t d) {
    BatchStep& step = steps.emplace_back();
    step.processors = cells / (2 * d);
    step.width = 2 * d;
    step.first = {d - 1, 2 * d - 1};
  };
  for (uint64_t d = 1; d < cells; d *= 2) level(d);
  BatchStep& root = steps.emplace_back();
  root.processors = 1;
  root.width = 1;
  root.apart = false;
  root.first = {cells - 1};
  for (uint64_t d = cells / 2; d > 0; d /= 2) level(d);
  return steps;
}

TEST(Batch, FewProcessorsAreOneGroup) {
  EXPECT_TRUE(parts_of({}, 100, 4'096).empty());
  EXPECT_EQ(parts_of(steps_of({{1, 0}, {2'048, 0}, {7, 1}}), 100, 4'096),
            (std::vector<BatchPart>{{Shape::kOneGroup, 3, 0, 1}}));
  EXPECT_EQ(parts_of(steps_of({{5, 0}}), 100, 4'096),
            (std::vector<BatchPart>{{}}));  // its own kernel is as good
}

TEST(Batch, HalvingLoopsAreWindows) {
  std::vector<BatchStep> steps = steps_of({{1 << 20, 1}});
  for (uint64_t d = 1; d < 1 << 20; d *= 2) steps.push_back(steps_of({{(1 << 19) / d, 2 * d}})[0]);
  // 4,096 cells for each group until only every 8,192nd is used: then one group holds these.
  EXPECT_EQ(parts_of(steps, 100, 4'096),
            (std::vector<BatchPart>{{Shape::kWindows, 13, 4'096, 256}, {Shape::kWindows, 8, 128, 1, 8'192}}));
  // A window is never cut: 3 does not divide 4.
  EXPECT_EQ(parts_of(steps_of({{10'000, 4}, {10'000, 3}}), 0, 4'096), (std::vector<BatchPart>{{}, {}}));
  EXPECT_EQ(parts_of(steps_of({{10'000, 4}, {10'001, 2}, {10'000, 3}}), 0, 4'096),
            (std::vector<BatchPart>{{Shape::kWindows, 2, 32, 625, 2}, {}}));
  // Wide steps keep whole groups busy.
  EXPECT_EQ(parts_of(steps_of({{1 << 23, 1}, {1 << 23, 1}}), 0, 4'096),
            (std::vector<BatchPart>{{Shape::kWindows, 2, 4'096, 2'048}}));
  EXPECT_EQ(parts_of(steps_of({{100'000, 1}, {100'000, 1}}), 0, 4'096),
            (std::vector<BatchPart>{{Shape::kWindows, 2, 128, 782}}));
}

TEST(Batch, TreesGoUpAndDownInWindows) {
  EXPECT_EQ(parts_of(tree_of(4'096), 0, 4'096), (std::vector<BatchPart>{{Shape::kWindows, 26, 4'096}}));
  // Twelve levels on each group's own cells; those above, the root, and down until the other groups can
  // continue.
  EXPECT_EQ(parts_of(tree_of(1 << 23), 0, 4'096),
            (std::vector<BatchPart>{{Shape::kWindows, 13, 4'096, 2'048},
                                    {Shape::kWindows, 24, 4'096, 1, 2'048, 2'047},
                                    {Shape::kWindows, 11, 4'096, 2'048}}));
  // Three times as many levels up; in the middle of the way down, some are launched alone.
  const std::vector<BatchPart> parts = parts_of(tree_of(1 << 27), 0, 4'096);
  EXPECT_EQ(parts[0], (BatchPart{Shape::kWindows, 13, 4'096, 32'768}));
  EXPECT_EQ(parts[1].stride, 4'096u);
  EXPECT_EQ(parts.back().stride, 1u);
  EXPECT_EQ(parts.back().steps, 12u);
  size_t steps = 0;
  for (const BatchPart& part : parts) steps += part.steps;
  EXPECT_EQ(steps, tree_of(1 << 27).size());
}

TEST(Batch, WindowsHoldNoMoreThanTheyMay) {
  std::vector<BatchStep> steps = steps_of({{100'000, 1}, {50'000, 2}, {25'000, 4}, {12'500, 8}});
  EXPECT_EQ(parts_of(steps, 0, 8), (std::vector<BatchPart>{{Shape::kWindows, 4, 8, 12'500}}));
  EXPECT_EQ(parts_of(steps, 0, 4), (std::vector<BatchPart>{{Shape::kWindows, 3, 4, 25'000}, {}}));
  EXPECT_EQ(parts_of(steps, 0, 0), (std::vector<BatchPart>{{}, {}, {}, {}}));
  steps[1].apart = false;  // its groups would overlap: then there is one group, if it can hold all
  EXPECT_EQ(parts_of(steps, 0, 4'096)[0], BatchPart{});
  EXPECT_EQ(parts_of(steps, 0, 100'000), (std::vector<BatchPart>{{Shape::kWindows, 4, 100'000}}));
}

TEST(Batch, WindowsReadAndWriteBackWhatIsNeeded) {
  EmittedKernel user;
  user.arguments = {{KernelArgument::Role::kVariable, 3}};
  EmittedKernel other;
  other.arguments = {{KernelArgument::Role::kVariable, 2}};
  EmittedStep fills;
  fills.window = WindowStep{.cells = {{3, nullptr, true}}};
  EmittedStep reads;
  reads.window = WindowStep{.cells = {{3, nullptr, false}}};
  std::vector<BatchStep> steps = steps_of({{5'000, 1}, {5'000, 1}, {5'000, 1}});
  const auto set = [&](size_t i, const EmittedKernel& kernel, const EmittedStep& step) {
    steps[i].kernel = &kernel;
    steps[i].step = &step;
    steps[i].first = {0};
  };
  set(0, user, fills);
  set(1, user, reads);
  set(2, other, reads);
  const std::span<const BatchStep> all = steps;
  const auto does = [&](size_t part, bool ends, bool last) {
    const BatchHeld held = held_of({.variable = 3, .ends = ends}, all.first(part), all.subspan(part), last);
    return held;
  };
  EXPECT_EQ(does(2, true, true), (BatchHeld{5'000, 0, 0}));
  EXPECT_EQ(does(2, true, false), (BatchHeld{5'000, 1, 0}));
  EXPECT_EQ(does(2, false, true), (BatchHeld{5'000, 1, 0}));
  EXPECT_EQ(does(1, true, true), (BatchHeld{5'000, 1, 0}));  // the second step needs it
  steps[1].width = 64;
  steps[1].first = {71};
  EXPECT_EQ(does(1, true, true), (BatchHeld{5'000, 64, 7}));  // some of it
  steps[1].processors = 1;
  EXPECT_EQ(does(1, true, true), (BatchHeld{5'000, 1ul << 40, 71}));
  steps[1].width = 0;
  EXPECT_EQ(does(1, true, true), (BatchHeld{5'000, 1, 0}));  // the extent is unknown
  set(0, user, reads);
  EXPECT_EQ(does(2, true, true), (BatchHeld{0, 0, 0}));
  set(0, user, fills);
  steps[0].first = {1};  // all but cell 0
  EXPECT_EQ(does(2, true, true), (BatchHeld{0, 0, 0}));
  set(0, other, reads);
  set(1, other, reads);
  EXPECT_EQ(does(2, false, true).stride, 0u);  // not used
}

TEST(Batch, OtherStepsWaitForEachOtherIfTheyCan) {
  const std::vector<BatchStep> steps = steps_of(
      {{100'000, 0}, {50'000, 0}, {10, 0}, {11, 0}, {3'000, 0}, {5'000, 0}, {200'000, 0}, {200'000, 0}});
  EXPECT_EQ(
      parts_of(steps, 264, 4'096),
      (std::vector<BatchPart>{
          {Shape::kTogether, 2, 0, 264}, {Shape::kOneGroup, 2, 0, 1}, {Shape::kTogether, 2, 0, 20}, {}, {}}));
  EXPECT_EQ(parts_of(steps, 0, 4'096),
            (std::vector<BatchPart>{{}, {}, {Shape::kOneGroup, 2, 0, 1}, {}, {}, {}, {}}));
}

}  // namespace
}  // namespace lanewise::pram
