#pragma once

#include <string>
#include <vector>

#include "ops/work/costs.h"
#include "ops/work/work.h"

namespace lanewise::exec {

/// What is known about the GPU, apart from its costs.
struct DeviceState {
  bool open = false;      ///< opened by this process
  bool compiled = false;  ///< this machine has compiled the pipeline's kernels
};

/// Seconds that a pipeline takes on one side, by kind of work.
struct Estimate {
  struct Part {
    const char* what;
    double seconds;
  };
  std::vector<Part> parts;

  double seconds() const;
};

/// On the host, including copies of data that is only on a GPU. Reading a column's source is in neither
/// estimate: both sides do it.
Estimate estimate_host(const ops::Work& work, const ops::Rates& host, const ops::DeviceCosts& costs);
/// On the GPU, including opening, compilation, upload and the copy of the result.
Estimate estimate_device(const ops::Work& work, const ops::DeviceCosts& costs, const DeviceState& state);

/// "12.1 ms"
std::string duration(double seconds);
/// "12.1 ms: groups 11.0 ms, scan 1.1 ms": the total, then its parts of 1 % and more, largest first.
std::string to_string(const Estimate& estimate);

}  // namespace lanewise::exec
