#include "ops/work/costs.h"

#include <algorithm>

#include "text/forms/cost.h"

namespace lanewise::ops {

Rates with_threads_of(const Rates& rates, int measured, int threads) {
  const double factor = static_cast<double>(threads) / std::max(measured, 1);
  Rates scaled = rates;
  for (double* rate : {&scaled.scan, &scaled.compute, &scaled.search, &scaled.automaton, &scaled.group,
                       &scaled.many_groups, &scaled.sort, &scaled.lookup, &scaled.join}) {
    *rate *= factor;
  }
  return scaled;
}

Rates usual_host_rates(lanes::Target target, const lanes::Tuning& tuning, int threads) {
  constexpr size_t kLiteralPlaces = 2;
  const text::forms::Costs text(target, tuning);
  Rates core;
  core.start = 50e-6;
  core.scan = 8e9;
  core.compute = 1.5e9;
  core.search = std::min(core.scan, 1e9 / text.scan(kLiteralPlaces));
  core.automaton = std::min(core.scan, 1e9 / text.automaton());
  core.group = 100e6;
  core.many_groups = 12e6;
  core.sort = 30e6;
  core.lookup = 600e6;
  core.join = 50e6;
  return with_threads_of(core, 1, threads);
}

DeviceCosts usual_device_costs(const gpu::Properties& properties) {
  // Fractions of the figures for an H200 in docs/notes/performance-gpu.md: 4,814 GB/s, 132 multiprocessors.
  constexpr double kBandwidth = 1e12, kMultiprocessors = 60;  // of an average GPU
  const double bandwidth = properties.bandwidth > 0 ? properties.bandwidth : kBandwidth;
  const double multiprocessors =
      properties.multiprocessors > 0 ? properties.multiprocessors : kMultiprocessors;
  DeviceCosts costs;
  costs.name = properties.name;
  costs.open = 0.3;
  costs.compile = 0.2;
  costs.load = 3e-3;
  costs.upload = costs.download = 20e9;
  costs.rates.start = 0.7e-3;
  costs.rates.scan = 0.9 * bandwidth;
  costs.rates.compute = 15e9 * multiprocessors;
  costs.rates.search = 0.5 * bandwidth;
  costs.rates.automaton = 15e9 * multiprocessors;
  costs.rates.group = 1.5e9 * multiprocessors;
  costs.rates.many_groups = bandwidth / 400;
  costs.rates.sort = bandwidth / 300;
  costs.rates.lookup = bandwidth / 20;
  costs.rates.join = bandwidth / 60;
  return costs;
}

}  // namespace lanewise::ops
