#pragma once

#include <memory>

#include "ops/gpu/branch/device_sink.h"
#include "plan/pipeline/pipeline.h"

namespace lanewise::exec {

/// The pipeline's sink. The pipeline outlives it. Throws expr::NotOnDevice that names what has none.
std::unique_ptr<ops::DeviceSink> device_sink(const plan::Pipeline& pipeline);

}  // namespace lanewise::exec
