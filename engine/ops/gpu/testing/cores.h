#pragma once

#include "exec/cores/pipeline_runner.h"
#include "ops/run/options.h"

namespace lanewise::ops {

/// Options for operators on GPUs that leave work to the cores.
inline Options with_cores() {
  Options options;
  options.on_cores = exec::run_on_cores;
  return options;
}

}  // namespace lanewise::ops
