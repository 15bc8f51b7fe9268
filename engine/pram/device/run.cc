#include "pram/device/run.h"

#include <map>
#include <mutex>

#include "pram/device/machine.h"
#include "pram/interpreter/interpreter.h"

namespace lanewise::pram {

namespace {

/// Made once for each backend; they do not end.
const DeviceTools& tools_of(Backend& backend) {
  static auto* const made = new std::map<Backend*, DeviceTools>();
  return made->try_emplace(&backend, backend).first->second;
}

std::mutex running;

}  // namespace

DeviceProgram::DeviceProgram(const Program& from, const Options& chosen, const std::string& prefix)
    : program(from),
      options(chosen),
      meta(compile(program.tree(), options.check ? Passes() : options.passes)),
      emitted(emit(program.tree(), meta,
                   {.prefix = prefix, .check = options.check && program.tree().mode == Mode::kErew})) {}

Result run_on_device(const DeviceProgram& program, const Code& code, const Arrays& inputs, Backend& backend) {
  try {
    const std::lock_guard lock(running);
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
  const DeviceProgram compiled(program, options);
  const std::unique_ptr<Code> code = backend.build(source_of(backend.dialect(), compiled.emitted.text));
  return run_on_device(compiled, *code, inputs, backend);
}

}  // namespace lanewise::pram
