#include "pram/run.h"

#include <fmt/format.h>

#include "pram/executor/cpu.h"
#include "pram/gpu/run.h"
#include "pram/interpreter/interpreter.h"

namespace lanewise::pram {

Result run(const Program& program, const Arrays& inputs, const Options& options) {
  if (options.executor != Executor::kInterpreter && options.survey) {
    throw UserError("only the interpreter reports which mode a program needs");
  }
  if (options.one_group && !is_device(options.executor))
    throw UserError("one group runs on a GPU; choose the executor cuda or opencl");
  if (options.executor == Executor::kCpu) return run_on_cpu(program, inputs, options);
  if (options.executor == Executor::kCuda) return run_on_device(program, inputs, options, cuda_backend());
  if (options.executor == Executor::kOpenCl) return run_on_device(program, inputs, options, opencl_backend());
  Interpreter interpreter(program, inputs, options);
  interpreter.run();
  return {interpreter.outputs(), interpreter.cost(), {}, interpreter.survey()};
}

std::vector<Diagnostic> conflicts(const Program& program, const Survey& survey) {
  std::vector<Diagnostic> found;
  const auto add = [&](const std::optional<Conflict>& conflict, const char* what, const char* needs) {
    if (!conflict) return;
    const auto [a, b] = conflict->processors;
    found.push_back(
        {.severity = Diagnostic::Severity::kWarning,
         .place = conflict->place,
         .message = fmt::format("processors {} and {} {} of '{}' in step {}", a, b, what,
                                program.tree().variables[conflict->variable].name, conflict->step),
         .advice = needs});
  };
  add(survey.read, "read one cell", "needs CREW");
  add(survey.write, "write one cell", "needs CRCW common");
  add(survey.unequal, "write different values to one cell", "needs CRCW arbitrary, priority or combining");
  return found;
}

}  // namespace lanewise::pram
