#pragma once

#include <string>

#include "gpu/cuda.h"

namespace lanewise::gpu {

/// The meaning of an error of the driver.
struct Failure {
  enum class Kind {
    bug,      ///< a wrong call by us: InternalError
    memory,   ///< MemoryError
    outside,  ///< driver, machine or another process: DeviceError
    fault,    ///< a kernel did something invalid; the device is lost: InternalError
    broken,   ///< the hardware or its driver failed; the device is lost: DeviceError
  };
  Kind kind;
  const char* cause;  ///< for messages; with what to do if the kind is `outside`

  bool lost() const { return kind == Kind::fault || kind == Kind::broken; }
};

/// Never fails: an error that is not in the table counts as `bug`.
Failure failure_of(cuda::Result result);

/// Throws the error type of `failure.kind`, with `message`.
[[noreturn]] void throw_failure(const Failure& failure, const std::string& message);

}  // namespace lanewise::gpu
