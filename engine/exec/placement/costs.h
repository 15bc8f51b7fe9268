#pragma once

#include <string>

#include "gpu/driver.h"
#include "lanes/targets/target.h"
#include "lanes/tuning.h"

namespace lanewise::exec {

/// What processors get done in a second, of data in their memory: the host's threads together, or a GPU.
/// `lanewise tune` measures each by a query that does little else.
struct Rates {
  double start = 0;        ///< seconds that a pipeline takes however few rows it has
  double scan = 0;         ///< bytes of columns that are read, or of rows that are written
  double compute = 0;      ///< ops::cost() of expressions, times rows
  double search = 0;       ///< bytes of text, for one literal
  double automaton = 0;    ///< bytes of text, by an automaton
  double group = 0;        ///< words of keys, into kFewGroups groups
  double many_groups = 0;  ///< the same, into kManyGroups
  double sort = 0;         ///< words of keys

  bool operator==(const Rates&) const = default;
};
/// 8 bytes of a key of GROUP BY or ORDER BY.
inline constexpr double kWordBytes = 8;
inline constexpr double kFewGroups = 1e3, kManyGroups = 1e6;

/// What a GPU costs. Rates are bytes per second, times seconds.
struct DeviceCosts {
  std::string name;     ///< the driver's, "NVIDIA H200"
  double open = 0;      ///< until the first kernel can be launched in a process
  double compile = 0;   ///< of a pipeline's kernels
  double load = 0;      ///< of kernels that were compiled before
  double upload = 0;    ///< from the host's memory
  double download = 0;  ///< to it
  Rates rates = {};

  bool operator==(const DeviceCosts&) const = default;
};

/// Both sides, measured on one machine.
struct PlacementCosts {
  DeviceCosts device;
  Rates host;
  int threads = 0;  ///< of the host, at which its rates were measured

  bool operator==(const PlacementCosts&) const = default;
};

/// The host's, where they were not measured: what one core was found to do, times threads; matchers as
/// `tuning` has them.
Rates usual_host_rates(lanes::Target target, const lanes::Tuning& tuning, int threads);
/// Rates for another number of threads: in proportion.
Rates with_threads_of(const Rates& rates, int measured, int threads);

/// A GPU's, where they were not measured: what an H200 was found to do, in proportion to memory bandwidth and
/// multiprocessors. With properties that are 0 those of a usual GPU.
DeviceCosts usual_device_costs(const gpu::Properties& properties);

}  // namespace lanewise::exec
