#pragma once

#include "base/error.h"

namespace lanewise::gpu {

/// There is no usable GPU, its driver or compiler is missing or broken, or it was lost. The message
/// says which, and what to do. (Too little GPU memory is a MemoryError; a wrong call and a
/// kernel's fault are InternalErrors.)
class DeviceError : public UserError {
 public:
  using UserError::UserError;
};

}  // namespace lanewise::gpu
