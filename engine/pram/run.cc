#include "pram/run.h"

#include "pram/device/run.h"
#include "pram/executor/cpu.h"
#include "pram/interpreter/interpreter.h"

namespace lanewise::pram {

Result run(const Program& program, const Arrays& inputs, const Options& options) {
  if (options.executor != Executor::kInterpreter && options.survey) {
    throw UserError("only the interpreter says which mode a program needs");
  }
  if (options.executor == Executor::kCpu) return run_on_cpu(program, inputs, options);
  if (options.executor == Executor::kCuda) return run_on_device(program, inputs, options, cuda_backend());
  if (options.executor == Executor::kOpenCl) return run_on_device(program, inputs, options, opencl_backend());
  Interpreter interpreter(program, inputs, options);
  interpreter.run();
  return {interpreter.outputs(), interpreter.cost(), {}, interpreter.survey()};
}

}  // namespace lanewise::pram
