#pragma once

#include <cstddef>
#include <limits>
#include <vector>

#include "ops/run/place.h"

namespace lanewise::exec {

using ops::Place;

inline constexpr Place kHost = {};

/// The seconds of what is impossible.
inline constexpr double kNever = std::numeric_limits<double>::infinity();

/// A place where pipelines may run.
struct Candidate {
  Place place;
  double open = 0;  ///< seconds that its first use takes
};

/// Seconds of a pipeline in one place. Rows go from one GPU to another through host memory.
struct PlaceTimes {
  double work = 0;      ///< its own
  double download = 0;  ///< of its result: once, if it is made here and any reader runs elsewhere
  double upload = 0;    ///< of its result: for each reader here, if it is in host memory
};

/// A result that exists is a pipeline that takes no time in its place, and is impossible in the others.
struct PipelineTimes {
  std::vector<PlaceTimes> places;  ///< as the candidates; there is nothing to copy on the host
  std::vector<size_t> reads = {};  ///< the pipelines before it whose results it reads, each once
};

/// Where pipelines run. A result is on a GPU if it is made there and all readers are there.
struct Places {
  std::vector<Place> runs = {};
  std::vector<Place> results = {};
  double seconds = 0;
};

/// Up to this many results with several readers, and this many combinations of their places, the places are
/// the best ones. Further such results are in host memory.
inline constexpr size_t kTriedResults = 6;
inline constexpr size_t kTriedCombinations = 1024;

/// The places of least total time, by dynamic programming from the inputs to the last results, which are for
/// the host. A result with several readers is tried in all places, and every set of places that are yet to be
/// opened. The first candidate is the host.
Places fastest_places(const std::vector<Candidate>& candidates, const std::vector<PipelineTimes>& pipelines);

}  // namespace lanewise::exec
