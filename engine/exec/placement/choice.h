#pragma once

#include <string>

#include "exec/placement/estimate.h"
#include "exec/placement/known_kernels.h"
#include "exec/placement/places.h"

namespace lanewise::exec {

/// Where a pipeline runs, and why.
struct Choice {
  Place place = kHost;
  ops::Work work = {};
  /// Of this pipeline alone, on the host and on the chosen GPU, else on the fastest; zero if a reason decided
  /// first.
  Estimate host = {}, device = {};
  bool at_least = false;  ///< device: a lower bound, as the time to compile kernels is not included
  Kernels kernels = Kernels::kUnknown;
  std::string reason = {};  ///< what decided instead of the estimates, for messages; empty: the estimates
  std::string context =
      {};  ///< why the whole plan takes less time on the side that is slower for this pipeline

  bool on_device() const { return !place.is_host(); }
  /// "on the CPU: about 2.1 ms, on the GPU 36.0 ms", with the context, or the reason.
  std::string text() const;
  /// "12.1 ms: groups 11.0 ms, load 1.1 ms; kernels compiled ahead"
  std::string device_text() const;
};

}  // namespace lanewise::exec
