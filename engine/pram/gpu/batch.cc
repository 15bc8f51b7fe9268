#include "pram/gpu/batch.h"

#include <algorithm>
#include <numeric>
#include <optional>

namespace lanewise::pram {

namespace {

using Shape = BatchPart::Shape;

/// Maximum number of processors per member if groups wait for each other: with more, a step takes so much
/// longer than a launch that it is best launched alone, with as many members as the device can run.
constexpr uint64_t kEach = 2;
/// This many groups keep a device busy.
constexpr uint64_t kBusy = 512;

/// Numbers of cells, as a start and a common divisor of their distances.
struct Progression {
  uint64_t stride = 0;  ///< 0: there is only one
  uint64_t cell = 0;
  bool empty = true;

  void add(uint64_t number) {
    if (empty) cell = number;
    empty = false;
    stride = std::gcd(stride, number > cell ? number - cell : cell - number);
  }
  /// Adds the cells that a step uses, of one variable or of all.
  void add(const BatchStep& step, std::optional<uint32_t> variable = {}) {
    for (size_t i = 0; i < step.first.size(); ++i) {
      if (variable && step.step->window->cells[i].variable != *variable) continue;
      add(step.first[i]);
      if (step.processors > 1) stride = std::gcd(stride, step.width);
    }
    if (step.first.empty() && !variable) stride = std::gcd(stride, step.width);
  }
  uint64_t offset() const { return stride == 0 ? cell : cell % stride; }
};

/// The first steps that can run in windows.
struct Reach {
  size_t steps = 0;
  Progression cells = {};
  uint64_t widest = 1;              ///< distance between the cells of consecutive processors
  uint64_t end = 0;                 ///< after the last cell
  bool apart = true;                ///< several groups can run them, each with its own cells
  std::vector<size_t> denser = {};  ///< steps that use cells between those of earlier ones

  uint64_t stride() const { return std::max<uint64_t>(cells.stride, 1); }
  /// Number of cells that a single group would hold.
  uint64_t all() const { return end > cells.offset() ? (end - cells.offset() + stride() - 1) / stride() : 0; }
};

/// As many steps as groups can run independently, each with `most` cells that its steps fill exactly; or as
/// one group can run alone.
Reach reach(std::span<const BatchStep> steps, uint64_t most) {
  Reach found;
  for (const BatchStep& step : steps) {
    if (step.width == 0) break;
    Reach next = found;
    next.cells.add(step);
    const uint64_t first = step.first.empty() ? 0 : *std::max_element(step.first.begin(), step.first.end());
    next.end = std::max(next.end, first + step.width * (step.processors - 1) + 1);
    next.widest = std::max(next.widest, step.width);
    next.apart = next.apart && step.apart && next.widest % found.widest == 0 &&
                 next.widest % step.width == 0 && next.widest / next.stride() <= most;
    if (!next.apart && next.all() > most) break;
    if (next.steps > 0 && next.stride() < found.stride()) next.denser.push_back(next.steps);
    ++next.steps;
    found = std::move(next);
  }
  return found;
}

BatchPart windows(std::span<const BatchStep> steps, uint64_t most) {
  Reach found = reach(steps, most);
  // Several groups hold only the cells that their steps need, if others can take the rest.
  for (const size_t i : found.denser) {
    if (!found.apart || i + reach(steps.subspan(i), most).steps <= found.steps) continue;
    found = reach(steps.first(i), most);
    break;
  }
  BatchPart part{.shape = Shape::kWindows, .steps = found.steps};
  part.stride = found.stride();
  part.offset = found.cells.offset();
  if (!found.apart) {
    part.window = found.all();
    return part;
  }
  uint64_t cells = 1;
  for (const BatchStep& step : steps.first(found.steps)) {
    cells = std::max(cells, step.processors * step.width / part.stride);
  }
  const auto groups = [&](uint64_t window) { return (cells + window - 1) / window; };
  part.window = found.widest / part.stride;
  while (2 * part.window <= most && groups(2 * part.window) >= kBusy) part.window *= 2;
  part.groups = groups(part.window);
  return part;
}

bool uses(const BatchStep& step, uint32_t variable) {
  const std::vector<KernelArgument>& arguments = step.kernel->arguments;
  return std::any_of(arguments.begin(), arguments.end(), [&](const KernelArgument& one) {
    return one.role == KernelArgument::Role::kVariable && one.index == variable;
  });
}

/// Whether all processors of the step write the cell of their number before any uses the variable.
bool fills(const BatchStep& step, uint32_t variable) {
  for (size_t i = 0; i < step.first.size(); ++i) {
    const OwnCell& cell = step.step->window->cells[i];
    if (cell.variable == variable && cell.fills && step.first[i] == 0 && step.width == 1) return true;
  }
  return false;
}

}  // namespace

BatchHeld held_of(const EmittedWindows::Held& held, std::span<const BatchStep> part,
                  std::span<const BatchStep> later, bool last) {
  constexpr uint64_t kFar = uint64_t{1} << 40;
  const auto use = [&](const BatchStep& step) { return uses(step, held.variable); };
  const auto first = std::find_if(part.begin(), part.end(), use);
  if (first == part.end()) return {.from = INT64_MAX};
  BatchHeld made{.from = fills(*first, held.variable) ? first->processors : 0, .stride = 1};
  if (!last || !held.ends) return made;
  Progression needed;
  for (const BatchStep& step : later) {
    if (!use(step)) continue;
    if (step.width == 0) return made;
    needed.add(step, held.variable);
  }
  made.stride = needed.empty ? 0 : needed.stride == 0 ? kFar : needed.stride;
  made.offset = needed.empty ? 0 : needed.offset();
  return made;
}

std::vector<BatchPart> parts_of(std::span<const BatchStep> steps, uint64_t together, uint64_t most) {
  std::vector<BatchPart> parts;
  while (!steps.empty()) {
    const auto run = [&](auto belongs) {
      return static_cast<size_t>(std::find_if_not(steps.begin(), steps.end(), belongs) - steps.begin());
    };
    BatchPart part;
    // Steps that fit windows are run in windows.
    const auto in_windows = [&](const BatchStep& step) {
      return &step != &steps[0] && step.width != 0 &&
             windows(steps.subspan(static_cast<size_t>(&step - &steps[0])), most).steps > 1;
    };
    if (const BatchPart own = windows(steps, most); own.steps > 1) {
      part = own;
    } else if (const size_t few = run([&](const BatchStep& step) {
                 return step.processors <= kFewProcessors && !in_windows(step);
               });
               few > 0) {
      part = {.shape = Shape::kOneGroup, .steps = few};
    } else if (const size_t some = run([&](const BatchStep& step) {
                 return step.processors > kFewProcessors && step.processors <= kEach * kGroup * together &&
                        !in_windows(step);
               });
               some > 1) {
      uint64_t wide = 0;
      for (const BatchStep& step : steps.first(some)) wide = std::max(wide, step.processors);
      part = {.shape = Shape::kTogether,
              .steps = some,
              .groups = std::min(together, (wide + kGroup - 1) / kGroup)};
    }
    if (part.steps == 1) part = {};
    parts.push_back(part);
    steps = steps.subspan(part.steps);
  }
  return parts;
}

}  // namespace lanewise::pram
