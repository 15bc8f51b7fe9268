#include "pram/meta/passes.h"

#include <fmt/format.h>

#include "base/error.h"

namespace lanewise::pram {

namespace {

constexpr PassInfo kPasses[] = {
    {Pass::kHost, "host", "variables and conditions that all processors share become the host's"},
    {Pass::kInPlace, "in-place", "no second copy where no processor uses what another one writes"},
    {Pass::kMerge, "merge", "assignments that do not depend on each other become one kernel"},
    {Pass::kBranches, "branches", "small branches become conditions within a kernel"},
    {Pass::kLoops, "loops", "loops that the host can count, or that processors can run on their own"},
    {Pass::kFuse, "fuse", "a block with its loops becomes one kernel where its processors do not meet"},
    {Pass::kBatch, "batch", "steps of loops that the host knows beforehand are launched together"},
};

}  // namespace

std::span<const PassInfo> passes() { return kPasses; }

Passes without(const Passes& from, std::string_view name) {
  if (name == "all") return {};
  std::string known;
  for (const PassInfo& info : kPasses) {
    if (info.name == name) return Passes(from).reset(static_cast<size_t>(info.pass));
    known += fmt::format("{}, ", info.name);
  }
  throw UserError(fmt::format("there is no optimisation '{}'; there are: {}all", name, known));
}

}  // namespace lanewise::pram
