#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace lanewise::exec {

enum class Place : uint8_t { kHost, kDevice };

/// The seconds of what is impossible.
inline constexpr double kNever = std::numeric_limits<double>::infinity();

/// Seconds of a pipeline's own work in either place, and of copies of its result. A result that exists is a
/// pipeline that takes no time in its place, and is impossible in the other.
struct PipelineTimes {
  double host = 0, device = 0;
  double download = 0;             ///< once, if the device makes the result and any reader is on the host
  double upload = 0;               ///< for each reader on the device, if the result is in host memory
  std::vector<size_t> reads = {};  ///< the pipelines before it whose results it reads, each once
};

/// Where pipelines run. A result is on the device if it is made there and all readers are there.
struct Places {
  std::vector<Place> runs = {};
  std::vector<Place> results = {};
  double seconds = 0;
};

/// Up to this many results with several readers, the places are the best ones. Further such results are in
/// host memory.
inline constexpr size_t kTriedResults = 6;

/// The places of least total time, by dynamic programming from the inputs to the last results, which are for
/// the host. A result with several readers is tried in both places. The first use of the device takes `open`
/// seconds.
Places fastest_places(const std::vector<PipelineTimes>& pipelines, double open);

}  // namespace lanewise::exec
