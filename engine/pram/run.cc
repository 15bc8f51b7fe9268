#include "pram/run.h"

#include "pram/executor/cpu.h"
#include "pram/interpreter/interpreter.h"

namespace lanewise::pram {

Result run(const Program& program, const Arrays& inputs, const Options& options) {
  if (options.executor == Executor::kCpu) {
    if (options.survey) throw UserError("only the interpreter says which mode a program needs");
    return run_on_cpu(program, inputs, options);
  }
  Interpreter interpreter(program, inputs, options);
  interpreter.run();
  return {interpreter.outputs(), interpreter.cost(), {}, interpreter.survey()};
}

}  // namespace lanewise::pram
