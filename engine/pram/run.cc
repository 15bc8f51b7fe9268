#include "pram/run.h"

#include "pram/interpreter/interpreter.h"

namespace lanewise::pram {

Result run(const Program& program, const Arrays& inputs, const Options& options) {
  Interpreter interpreter(program, inputs, options);
  interpreter.run();
  return {interpreter.outputs(), interpreter.cost(), interpreter.survey()};
}

}  // namespace lanewise::pram
