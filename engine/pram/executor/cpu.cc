#include "pram/executor/cpu.h"

#include <map>
#include <thread>

#include "pram/executor/machine.h"
#include "pram/interpreter/interpreter.h"

namespace lanewise::pram {

namespace {

Result finished(const Program& program, const CpuMachine& machine) {
  std::map<uint32_t, KernelCost> lines;
  for (const KernelCost& cost : machine.costs()) {
    KernelCost& line = lines[cost.line];
    line.line = cost.line;
    line.launches += cost.launches;
    line.processors += cost.processors;
    line.lists += cost.lists;
    line.seconds += cost.seconds;
  }
  Result result;
  result.outputs = outputs_of(program, machine.memory());
  for (const auto& [number, line] : lines) result.kernels.push_back(line);
  return result;
}

}  // namespace

Result run_on_cpu(const Program& program, const Arrays& inputs, const Options& options) {
  const MetaProgram meta = compile(program.tree(), options.check ? Passes() : options.passes);
  const int cores = std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
  const int threads = options.threads > 0 ? options.threads : cores;
  try {
    return with_threads(threads, [&] {
      CpuMachine machine(program, meta, inputs, options, static_cast<size_t>(threads));
      machine.run();
      return finished(program, machine);
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
