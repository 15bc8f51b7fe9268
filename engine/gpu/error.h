#pragma once

#include "base/error.h"

namespace lanewise::gpu {

/// There is no usable GPU, its driver or compiler is missing or out of order, or it was lost. The message
/// says which, and what to do. (What a GPU has too little memory for is a MemoryError; a wrong call and a
/// kernel's fault are InternalErrors.)
class DeviceError : public UserError {
 public:
  using UserError::UserError;
};

}  // namespace lanewise::gpu
