#pragma once

#include <functional>
#include <string>
#include <vector>

#include "api/machine_profile.h"
#include "base/cancel.h"

namespace lanewise::cli::bench {

/// One parameter: the values that were tried, and the best one.
struct Choice {
  struct Try {
    uint32_t value;
    double rate;  ///< bytes per second
  };
  std::string name;
  std::vector<Try> tries;
  uint32_t best = 0;
};

/// The time per byte of each match strategy, from which their crossovers follow.
struct MatcherCost {
  std::string name;
  double ns;
};

struct Tuned {
  MachineProfile profile;
  std::vector<Choice> choices;
  std::vector<MatcherCost> costs;
  std::string no_gpu;  ///< why there is no MachineProfile::placement
};

/// Measures this machine and its first GPU, in well under a minute. `say` receives the current step and the
/// progress.
Tuned tune(const Cancellation& cancellation, const std::function<void(const std::string&, double)>& say);

}  // namespace lanewise::cli::bench
