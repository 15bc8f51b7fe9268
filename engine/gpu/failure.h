#pragma once

#include <string>

#include "gpu/cuda.h"

namespace lanewise::gpu {

/// What an error of the driver means for us.
struct Failure {
  enum class Kind {
    bug,      ///< a wrong call by us: InternalError
    memory,   ///< MemoryError
    outside,  ///< driver, machine or another process: DeviceError
    fault,    ///< a kernel did what it must not; the device is lost: InternalError
    broken,   ///< the hardware or its driver failed; the device is lost: DeviceError
  };
  Kind kind;
  const char* cause;  ///< for people; with what to do where it is `outside`

  bool lost() const { return kind == Kind::fault || kind == Kind::broken; }
};

/// Never fails: an error that is not in the table is a bug of ours.
Failure failure_of(cuda::Result result);

/// Throws what `failure.kind` says, with `message`.
[[noreturn]] void throw_failure(const Failure& failure, const std::string& message);

}  // namespace lanewise::gpu
