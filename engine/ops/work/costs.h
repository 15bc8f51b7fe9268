#pragma once

#include <string>

#include "gpu/driver.h"
#include "lanes/targets/target.h"
#include "lanes/tuning.h"

namespace lanewise::ops {

/// Throughput per second on data in memory: of the host's threads together, or of a GPU.
/// `lanewise tune` measures each with a query that does little else.
struct Rates {
  double start = 0;        ///< seconds that a pipeline takes even without rows
  double scan = 0;         ///< bytes of columns read, or of rows written
  double compute = 0;      ///< expr::cost() of expressions, times rows
  double search = 0;       ///< bytes of text searched for one literal
  double automaton = 0;    ///< bytes of text matched by an automaton
  double group = 0;        ///< words of keys, into kFewGroups groups
  double many_groups = 0;  ///< the same, into kManyGroups
  double sort = 0;         ///< words of keys
  double lookup = 0;       ///< words of keys looked up in a build side of kFewKeys rows
  double join = 0;         ///< the same in one of kManyKeys, or put into one

  bool operator==(const Rates&) const = default;
};
/// 8 bytes of a key of GROUP BY, ORDER BY or a join.
inline constexpr double kWordBytes = 8;
inline constexpr double kFewGroups = 1e3, kManyGroups = 1e6;
inline constexpr double kFewKeys = 1e3, kManyKeys = 1e7;

/// Costs of using a GPU: seconds, and rates in bytes per second.
struct DeviceCosts {
  std::string name;     ///< reported by the driver: "NVIDIA H200"
  double open = 0;      ///< until a new process can launch its first kernel
  double compile = 0;   ///< to compile a pipeline's kernels
  double load = 0;      ///< to load kernels that were compiled before
  double upload = 0;    ///< from host memory
  double download = 0;  ///< to it
  Rates rates = {};

  bool operator==(const DeviceCosts&) const = default;
};

/// Costs of both sides, measured on one machine.
struct PlacementCosts {
  DeviceCosts device;
  Rates host;
  int threads = 0;  ///< host threads used for the measurement

  bool operator==(const PlacementCosts&) const = default;
};

/// Default rates of the host, if not measured: those of one core, times threads; matchers as
/// in `tuning`.
Rates usual_host_rates(lanes::Target target, const lanes::Tuning& tuning, int threads);
/// Rates for another number of threads, scaled in proportion.
Rates with_threads_of(const Rates& rates, int measured, int threads);

/// Default costs of a GPU, if not measured: those of an H200, scaled by memory bandwidth and
/// multiprocessors. Properties that are 0 count as those of an average GPU.
DeviceCosts usual_device_costs(const gpu::Properties& properties);

}  // namespace lanewise::ops
