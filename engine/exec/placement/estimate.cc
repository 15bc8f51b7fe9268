#include "exec/placement/estimate.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace lanewise::exec {

namespace {

/// A rate, measured for a few and for many.
struct MeasuredRate {
  double few, many;          ///< how many
  double for_few, for_many;  ///< the rate

  /// Interpolated by the number's order of magnitude.
  double operator()(double number) const {
    const double place = std::log(std::max(number, 1.0) / few) / std::log(many / few);
    return for_few * std::pow(for_many / for_few, std::clamp(place, 0.0, 1.0));
  }
};

double seconds_of_joins(const ops::Work& work, const ops::Rates& rates) {
  const MeasuredRate lookup{ops::kFewKeys, ops::kManyKeys, rates.lookup, rates.join};
  double seconds = work.built / rates.join;
  for (const ops::Work::Lookups& lookups : work.lookups) seconds += lookups.words / lookup(lookups.rows);
  return seconds;
}

/// The parts of the work on data that is in the processor's own memory.
std::vector<Estimate::Part> parts_of(const ops::Work& work, const ops::Rates& rates) {
  const MeasuredRate group{ops::kFewGroups, ops::kManyGroups, rates.group, rates.many_groups};
  return {{"scan", (work.scanned + work.result_bytes) / rates.scan},
          {"compute", work.computed / rates.compute},
          {"search", work.searched / rates.search},
          {"automata", work.walked / rates.automaton},
          {"groups", work.grouped / group(work.groups)},
          {"sort", work.sorted / rates.sort},
          {"joins", seconds_of_joins(work, rates)}};
}

}  // namespace

double Estimate::seconds() const {
  double sum = 0;
  for (const Part& part : parts) sum += part.seconds;
  return sum;
}

Estimate estimate_host(const ops::Work& work, const ops::Rates& host, const ops::DeviceCosts& costs) {
  Estimate estimate{parts_of(work, host)};
  for (Estimate::Part& part : estimate.parts) part.seconds *= work.host_share;
  estimate.parts.push_back({"start", host.start});
  if (work.fetched > 0) estimate.parts.push_back({"download", work.fetched / costs.download});
  return estimate;
}

Estimate estimate_device(const ops::Work& work, const ops::DeviceCosts& costs, const DeviceState& state) {
  Estimate estimate{parts_of(work, costs.rates)};
  estimate.parts.push_back({"start", costs.rates.start});
  if (!state.open) estimate.parts.push_back({"open", costs.open});
  estimate.parts.push_back(state.compiled ? Estimate::Part{"load", costs.load}
                                          : Estimate::Part{"compile", costs.compile});
  estimate.parts.push_back({"upload", work.missing / costs.upload});
  estimate.parts.push_back({"result", work.result_bytes / costs.download});
  return estimate;
}

std::string duration(double seconds) {
  if (seconds < 1e-3) return fmt::format("{:.0f} µs", seconds * 1e6);
  if (seconds < 1) return fmt::format("{:.1f} ms", seconds * 1e3);
  return fmt::format("{:.2f} s", seconds);
}

std::string to_string(const Estimate& estimate) {
  const double all = estimate.seconds();
  std::vector<Estimate::Part> parts = estimate.parts;
  std::stable_sort(parts.begin(), parts.end(),
                   [](const Estimate::Part& a, const Estimate::Part& b) { return a.seconds > b.seconds; });
  std::string text = duration(all);
  const char* between = ": ";
  for (const Estimate::Part& part : parts) {
    if (part.seconds < all / 100) break;
    text += fmt::format("{}{} {}", between, part.what, duration(part.seconds));
    between = ", ";
  }
  return text;
}

}  // namespace lanewise::exec
