// How steps that were put off are launched together.
#include "pram/device/batch.h"

#include <gtest/gtest.h>

namespace lanewise::pram {
namespace {

using Shape = BatchPart::Shape;

/// Steps of so many processors, each with so many cells.
std::vector<BatchStep> steps_of(std::initializer_list<std::pair<uint64_t, uint64_t>> list) {
  std::vector<BatchStep> steps;
  for (const auto& [processors, cells] : list) {
    BatchStep& step = steps.emplace_back();
    step.processors = processors;
    step.cells = cells;
  }
  return steps;
}

TEST(Batch, FewProcessorsAreOneGroup) {
  EXPECT_TRUE(parts_of({}, 100).empty());
  EXPECT_EQ(parts_of(steps_of({{1, 0}, {2'048, 0}, {7, 1}}), 100),
            (std::vector<BatchPart>{{Shape::kOneGroup, 3, 0, 1}}));
  EXPECT_EQ(parts_of(steps_of({{5, 0}}), 100), (std::vector<BatchPart>{{}}));  // its kernel is as good
}

TEST(Batch, HalvingLoopsAreWindowsAndThenOneGroup) {
  std::vector<BatchStep> steps = steps_of({{1 << 20, 1}});
  for (uint64_t d = 1; d < 1 << 20; d *= 2) steps.push_back(steps_of({{(1 << 19) / d, 2 * d}})[0]);
  // 4,096 cells for each group until only 256 processors are left.
  EXPECT_EQ(parts_of(steps, 100),
            (std::vector<BatchPart>{{Shape::kWindows, 13, 4'096, 256}, {Shape::kOneGroup, 8, 0, 1}}));
  // A window is never cut: 3 does not divide 4.
  EXPECT_EQ(parts_of(steps_of({{10'000, 4}, {10'000, 3}}), 0), (std::vector<BatchPart>{{}, {}}));
  EXPECT_EQ(parts_of(steps_of({{10'000, 4}, {10'001, 2}, {10'000, 3}}), 0),
            (std::vector<BatchPart>{{Shape::kWindows, 2, 64, 625}, {}}));
  // Wide ones keep whole groups busy.
  EXPECT_EQ(parts_of(steps_of({{1 << 23, 1}, {1 << 23, 1}}), 0),
            (std::vector<BatchPart>{{Shape::kWindows, 2, 4'096, 2'048}}));
  EXPECT_EQ(parts_of(steps_of({{100'000, 1}, {100'000, 1}}), 0),
            (std::vector<BatchPart>{{Shape::kWindows, 2, 128, 782}}));
}

TEST(Batch, OtherStepsWaitForEachOtherIfTheyCan) {
  const std::vector<BatchStep> steps = steps_of(
      {{100'000, 0}, {50'000, 0}, {10, 0}, {11, 0}, {3'000, 0}, {5'000, 0}, {200'000, 0}, {200'000, 0}});
  EXPECT_EQ(
      parts_of(steps, 264),
      (std::vector<BatchPart>{
          {Shape::kTogether, 2, 0, 264}, {Shape::kOneGroup, 2, 0, 1}, {Shape::kTogether, 2, 0, 20}, {}, {}}));
  EXPECT_EQ(parts_of(steps, 0),
            (std::vector<BatchPart>{{}, {}, {Shape::kOneGroup, 2, 0, 1}, {}, {}, {}, {}}));
}

}  // namespace
}  // namespace lanewise::pram
