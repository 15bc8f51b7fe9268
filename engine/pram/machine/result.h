#pragma once

#include <vector>

#include "pram/machine/options.h"
#include "pram/tree/value.h"

namespace lanewise::pram {

/// The outputs of a run, and its costs.
struct Result {
  Arrays outputs;
  Cost cost;                        ///< of the interpreter
  std::vector<KernelCost> kernels;  ///< of other executors, by line
  Survey survey;                    ///< only with Options::survey
};

}  // namespace lanewise::pram
