#pragma once

#include <string>
#include <vector>

#include "ops/work/costs.h"

namespace lanewise::exec {

/// The work of a pipeline, independent of the processor and the machine: see work_of().
struct Work {
  /// In one build side.
  struct Lookups {
    double words;  ///< of keys, and of the columns that are taken from it
    double rows;   ///< of the build side
  };

  double rows = 0;      ///< rows read
  double scanned = 0;   ///< bytes of columns read
  double computed = 0;  ///< ops::cost() of expressions, times the rows that they are evaluated for
  double searched = 0;  ///< bytes of text searched for one literal
  double walked = 0;    ///< bytes of text matched by automata
  double grouped = 0;   ///< words of keys
  double groups = 0;
  double sorted = 0;  ///< words of keys
  double built = 0;   ///< words of keys, and columns that a build side keeps
  std::vector<Lookups> lookups = {};
  double result_rows = 0;  ///< rows returned
  double result_bytes = 0;
  double missing = 0;     ///< bytes of columns that are not in GPU memory
  double fetched = 0;     ///< bytes of columns that are only in GPU memory
  double host_share = 1;  ///< fraction of the rows that the host must read: without zones that bounds
                          ///< exclude, and without rows after a LIMIT
};

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
Estimate estimate_host(const Work& work, const ops::Rates& host, const ops::DeviceCosts& costs);
/// On the GPU, including opening, compilation, upload and the copy of the result.
Estimate estimate_device(const Work& work, const ops::DeviceCosts& costs, const DeviceState& state);

/// "12.1 ms"
std::string duration(double seconds);
/// "12.1 ms: groups 11.0 ms, scan 1.1 ms": the total, then its parts of 1 % and more, largest first.
std::string to_string(const Estimate& estimate);

}  // namespace lanewise::exec
