#pragma once

#include <vector>

#include "pram/options.h"
#include "pram/program.h"
#include "pram/value.h"

namespace lanewise::pram {

struct Result {
  Arrays outputs;
  Cost cost;                        ///< of the interpreter
  std::vector<KernelCost> kernels;  ///< of other executors, by line
  Survey survey;                    ///< only with Options::survey
};

/// Runs `program` on `inputs`. Throws UserError for inputs that do not fit the program, and RunError for
/// errors while it runs.
Result run(const Program& program, const Arrays& inputs, const Options& options = {});

/// The conflicts found at each place, and the mode that each needs.
std::vector<Diagnostic> conflicts(const Program& program, const Survey& survey);

}  // namespace lanewise::pram
