#include "pram/executor/cpu.h"

#include <thread>

#include "pram/executor/machine.h"
#include "pram/interpreter/interpreter.h"

namespace lanewise::pram {

Result run_on_cpu(const Program& program, const Arrays& inputs, const Options& options) {
  const MetaProgram meta = compile(program.tree(), options.check ? Passes() : options.passes);
  const int cores = std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
  const int threads = options.threads > 0 ? options.threads : cores;
  try {
    return with_threads(threads, [&] {
      CpuMachine machine(program, meta, inputs, options, static_cast<size_t>(threads));
      machine.run();
      return Result{outputs_of(program, machine.memory()), {}, machine.costs(), {}};
    });
  } catch (const Failed&) {
  } catch (const Fault&) {
  } catch (const Trap&) {
  }
  Interpreter interpreter(program, inputs, options);
  interpreter.run();
  throw InternalError("a program fails on the executor and not on the interpreter");
}

}  // namespace lanewise::pram
