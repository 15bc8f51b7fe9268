#include "pram/gpu/run.h"

#include <algorithm>
#include <map>
#include <mutex>

#include "pram/gpu/group.h"
#include "pram/gpu/machine.h"
#include "pram/interpreter/interpreter.h"

namespace lanewise::pram {

namespace {

/// Made once for each backend; never destroyed.
const DeviceTools& tools_of(Backend& backend) {
  static auto* const made = new std::map<Backend*, DeviceTools>();
  return made->try_emplace(&backend, backend).first->second;
}

std::mutex running;

}  // namespace

DeviceProgram::DeviceProgram(const Program& from, const Options& chosen, const std::string& prefix,
                             const Arrays* inputs)
    : program(from),
      options(chosen),
      meta(compile(program.tree(), options.check ? Passes() : options.passes)),
      emitted([&] {
        const auto write = options.one_group ? emit_group : emit;
        EmitOptions how{.prefix = prefix,
                        .race = options.race,
                        .check = options.check && program.tree().mode == Mode::kErew};
        if (!options.specialise || inputs == nullptr) return write(program.tree(), meta, how);
        const Memory sizes = sizes_of(program, *inputs);
        how.sizes = &sizes;
        return write(program.tree(), meta, how);
      }()) {}

std::string DeviceProgram::source(Dialect dialect) const {
  return source_of(dialect, (options.one_group ? group_text() : "") + emitted.text);
}

std::unique_ptr<Code> build(const DeviceProgram& program, Backend& backend) {
  constexpr size_t kLong = 8'000;  // characters of one kernel: about 60 statements
  const std::string& text = program.emitted.text;
  size_t longest = 0;
  for (size_t begin = 0; begin < text.size();) {
    const size_t end = std::min(text.find("\nKERNEL ", begin + 1), text.size());
    longest = std::max(longest, end - begin);
    begin = end;
  }
  return backend.build(program.source(backend.dialect()), longest > kLong);
}

Result run_on_device(const DeviceProgram& program, const Code& code, const Arrays& inputs, Backend& backend) {
  try {
    const std::lock_guard lock(running);
    if (program.options.one_group) return run_in_group(program, code, inputs, backend);
    DeviceMachine machine(program.program, program.meta, program.emitted, code, tools_of(backend), inputs,
                          program.options);
    machine.run_and_download();
    return {outputs_of(program.program, machine.memory()), {}, machine.costs(), {}};
  } catch (const Failed&) {
  } catch (const Fault&) {
  } catch (const Trap&) {
  }
  Interpreter interpreter(program.program, inputs, program.options);
  interpreter.run();
  throw InternalError("a program fails on the device and not on the interpreter");
}

Result run_on_device(const Program& program, const Arrays& inputs, const Options& options, Backend& backend) {
  if (options.one_group) check_group(options, backend);
  const DeviceProgram compiled(program, options, "kernel_", &inputs);
  const std::unique_ptr<Code> code = build(compiled, backend);
  return run_on_device(compiled, *code, inputs, backend);
}

}  // namespace lanewise::pram
