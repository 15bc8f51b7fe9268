#pragma once

#include <memory>

#include "exec/gpu/branch/device_sink.h"
#include "exec/pipeline/pipeline.h"

namespace lanewise::exec {

/// The pipeline's sink. The pipeline outlives it. Throws expr::NotOnDevice that names what has none.
std::unique_ptr<DeviceSink> device_sink(const Pipeline& pipeline);

}  // namespace lanewise::exec
