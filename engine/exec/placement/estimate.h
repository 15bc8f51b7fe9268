#pragma once

#include <string>
#include <vector>

#include "exec/placement/costs.h"

namespace lanewise::exec {

/// The work of a pipeline, whatever runs it: see work_of(). Nothing of it depends on a machine.
struct Work {
  double rows = 0;      ///< that it reads
  double scanned = 0;   ///< bytes of columns
  double computed = 0;  ///< ops::cost() of expressions, times the rows that reach them
  double searched = 0;  ///< bytes of text, for one literal
  double walked = 0;    ///< bytes of text, by automata
  double grouped = 0;   ///< words of keys
  double groups = 0;
  double sorted = 0;       ///< words of keys
  double result_rows = 0;  ///< that it gives
  double result_bytes = 0;
  double missing = 0;     ///< bytes of columns that are not in the GPU's memory
  double fetched = 0;     ///< bytes of columns that are in a GPU's memory alone
  double host_share = 1;  ///< of the rows, what the host must look at: not zones that bounds refute, nor
                          ///< what lies after a LIMIT
};

/// What is known of the GPU apart from its costs.
struct DeviceState {
  bool open = false;      ///< in this process
  bool compiled = false;  ///< the pipeline's kernels, by this machine
};

/// Seconds that a pipeline takes on one side, by what takes them.
struct Estimate {
  struct Part {
    const char* what;
    double seconds;
  };
  std::vector<Part> parts;

  double seconds() const;
};

/// On the host, which fetches what only a GPU has. Reading a column's source is in neither estimate: both
/// sides do the same.
Estimate estimate_host(const Work& work, const Rates& host, const DeviceCosts& costs);
/// On the GPU, with all that must be done before: opened, compiled, uploaded; and the result's way back.
Estimate estimate_device(const Work& work, const DeviceCosts& costs, const DeviceState& state);

/// "12.1 ms"
std::string duration(double seconds);
/// "12.1 ms: groups 11.0 ms, scan 1.1 ms": the total, then its parts of 1 % and more, largest first.
std::string to_string(const Estimate& estimate);

}  // namespace lanewise::exec
