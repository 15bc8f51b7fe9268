#pragma once

#include <cstdint>
#include <string>

#include "ops/results/results.h"
#include "ops/run/options.h"
#include "plan/pipeline/pipeline.h"

namespace lanewise::exec {

/// How a pipeline's kernels are obtained, as far as known before its columns are on the GPU.
enum class Kernels : uint8_t {
  kUnknown,  ///< not known
  kToCompile,
  kCached,  ///< this machine has compiled them before
  kAhead,   ///< they were compiled with the program
};

/// Writes the kernels' sources and looks for them. Throws expr::NotOnDevice.
Kernels find_kernels(const plan::Pipeline& pipeline, const ops::Results& results,
                     const codegen::Strategy& strategy, const ops::DeviceView& view);

/// Records that this machine has compiled the pipeline's kernels for a GPU of this name, for later choices.
void note_compiled(const plan::Pipeline& pipeline, const ops::Results& results,
                   const codegen::Strategy& strategy, const std::string& gpu);

}  // namespace lanewise::exec
