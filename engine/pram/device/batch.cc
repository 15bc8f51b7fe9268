#include "pram/device/batch.h"

#include <algorithm>

namespace lanewise::pram {

namespace {

using Shape = BatchPart::Shape;

/// Most processors of a step that one group does faster than another launch would take.
constexpr uint64_t kFew = 2'048;
/// Most processors of a member where groups wait for each other: with more, a step takes so much longer than
/// its launch that it is best alone, with all members that the device has room for.
constexpr uint64_t kEach = 2;
/// Most processors of a group in one step, where each has its own cells.
constexpr uint64_t kOwn = 4'096;
/// So many groups keep a device busy.
constexpr uint64_t kBusy = 512;

/// Groups that windows are made for.
uint64_t groups_of(std::span<const BatchStep> steps, uint64_t window) {
  uint64_t groups = 1;
  for (const BatchStep& step : steps) {
    groups = std::max(groups, (step.processors * step.cells + window - 1) / window);
  }
  return groups;
}

/// As many of the first steps as groups can do on their own: each step's cells fill a window exactly.
BatchPart windows(std::span<const BatchStep> steps) {
  uint64_t least = UINT64_MAX;  // cells of a processor, in any step
  BatchPart part{.shape = Shape::kWindows, .steps = 0, .window = 1};
  for (const BatchStep& step : steps) {
    if (step.cells == 0) break;
    const uint64_t window = std::max(part.window, step.cells);
    const uint64_t fewest = std::min(least, step.cells);
    const auto fills = [&](const BatchStep& other) { return window % other.cells == 0; };
    if (window / fewest > kOwn || !std::all_of(&steps[0], &step + 1, fills)) break;
    part.window = window;
    least = fewest;
    ++part.steps;
  }
  if (part.steps == 0) return part;
  steps = steps.first(part.steps);
  while (2 * part.window / least <= kOwn && groups_of(steps, 2 * part.window) >= kBusy) part.window *= 2;
  part.groups = groups_of(steps, part.window);
  return part;
}

}  // namespace

std::vector<BatchPart> parts_of(std::span<const BatchStep> steps, uint64_t together) {
  std::vector<BatchPart> parts;
  while (!steps.empty()) {
    const auto run = [&](auto belongs) {
      return static_cast<size_t>(std::find_if_not(steps.begin(), steps.end(), belongs) - steps.begin());
    };
    BatchPart part;
    if (const size_t few = run([](const BatchStep& step) { return step.processors <= kFew; }); few > 0) {
      part = {.shape = Shape::kOneGroup, .steps = few};
    } else if (const BatchPart own = windows(steps); own.steps > 1) {
      part = own;
    } else if (const size_t some = run([&](const BatchStep& step) {
                 return step.processors > kFew && step.processors <= kEach * kGroup * together;
               });
               some > 1) {
      uint64_t most = 0;
      for (const BatchStep& step : steps.first(some)) most = std::max(most, step.processors);
      part = {.shape = Shape::kTogether,
              .steps = some,
              .groups = std::min(together, (most + kGroup - 1) / kGroup)};
    }
    if (part.steps == 1) part = {};
    parts.push_back(part);
    steps = steps.subspan(part.steps);
  }
  return parts;
}

}  // namespace lanewise::pram
