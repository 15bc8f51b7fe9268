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
  Survey survey;                    ///< only if it was asked for
};

/// Runs `program` on `inputs`. Throws UserError for inputs that do not fit it and RunError for what goes
/// wrong on the way.
Result run(const Program& program, const Arrays& inputs, const Options& options = {});

/// What was found at each place, and the mode that it needs.
std::vector<Diagnostic> conflicts(const Program& program, const Survey& survey);

}  // namespace lanewise::pram
