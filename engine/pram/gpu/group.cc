#include "pram/gpu/group.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>

#include "base/error.h"
#include "pram/executor/meta_machine.h"

namespace lanewise::pram {

namespace {

using Role = KernelArgument::Role;

/// Rejects variables that are larger than the group's memory.
void check_cells(const Tree& tree, const Memory& memory, uint64_t most) {
  uint64_t all = 0;
  size_t largest = 0;
  for (size_t i = 0; i < memory.variables.size(); ++i) {
    all += std::max<uint64_t>(memory.variables[i].words.size(), 1);
    if (memory.variables[i].words.size() > memory.variables[largest].words.size()) largest = i;
  }
  if (all <= most) return;
  throw UserError(
      fmt::format("the variables have {} cells, of which '{}' has {}; one group holds {} of this program; "
                  "use a smaller input, or run without --one-group",
                  all, tree.variables[largest].name, memory.variables[largest].words.size(), most));
}

uint64_t value_of(const KernelArgument& argument, const Memory& memory,
                  const std::vector<Buffer>& variables) {
  switch (argument.role) {
    case Role::kVariable:
      return variables[argument.index].handle;
    case Role::kExtent:
      return static_cast<uint64_t>(memory.variables[argument.index].extents[argument.dimension]);
    case Role::kParameter:
      return static_cast<uint64_t>(memory.parameters[argument.index]);
    default:
      throw InternalError("a parameter that one group finds itself");
  }
}

}  // namespace

void check_group(const Options& options, const Backend& backend) {
  if (const std::string why = backend.no_group(); !why.empty()) throw UserError(why);
  if (options.check)
    throw UserError("one group does not look for conflicts; leave out the check, or run several kernels");
  if (options.observer != nullptr)
    throw UserError("one group is one kernel, which has no steps that a trace could show");
}

Result run_in_group(const DeviceProgram& program, const Code& code, const Arrays& inputs, Backend& backend) {
  const Options& options = program.options;
  const Tree& tree = program.program.tree();
  const EmittedGroup& group = *program.emitted.group;
  if (options.cancellation != nullptr) options.cancellation->check();
  Memory memory = make_memory(program.program, inputs, options.budget);
  check_cells(tree, memory, group.most);

  const auto bytes = [&](size_t i) { return memory.variables[i].words.size() * sizeof(Word); };
  std::vector<Buffer> variables;
  for (size_t i = 0; i < tree.variables.size(); ++i) {
    variables.push_back(backend.allocate(bytes(i)));
    backend.upload(variables[i], memory.variables[i].words.data(), bytes(i));
  }
  std::array<Word, kGroupStatus> found{};
  const Buffer status = backend.allocate(sizeof(found));
  backend.fill(status, 0);
  std::vector<uint64_t> arguments = {status.handle, options.max_steps, options.seed};
  for (const KernelArgument& one : group.kernel.arguments)
    arguments.push_back(value_of(one, memory, variables));

  if (options.time_kernels) backend.finish();
  const auto start = std::chrono::steady_clock::now();
  code.launch(group.kernel.name, kGroup, arguments);
  if (options.time_kernels) backend.finish();
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
  backend.download(found.data(), status, sizeof(found));
  const auto most = static_cast<uint64_t>(found[kPeak]);
  if (found[kCrowded] != 0) {
    throw UserError(
        fmt::format("line {}: the block has {} processors; one group has {}; use a smaller input, or run "
                    "without --one-group",
                    found[kCrowded], most, kGroup));
  }
  if (found[kFailed] != 0) throw Failed();
  for (size_t i = 0; i < variables.size(); ++i) {
    if (tree.variables[i].result())
      backend.download(memory.variables[i].words.data(), variables[i], bytes(i));
  }
  if (options.steps != nullptr)
    options.steps->store(static_cast<uint64_t>(found[kSteps]), std::memory_order_relaxed);
  const uint32_t line = tree.body.empty() ? 1 : tree.body.front().place.line;
  return {outputs_of(program.program, memory),
          {},
          {{.line = line, .launches = 1, .processors = most, .lanes = kGroup, .seconds = took.count()}},
          {}};
}

}  // namespace lanewise::pram
