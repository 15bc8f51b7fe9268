#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "exec/placement/choice.h"
#include "exec/placement/places.h"
#include "ops/results/results.h"
#include "ops/run/options.h"
#include "plan/pipeline/pipeline.h"

namespace lanewise::exec {

/// Whether the sink merges results of parts, which are groups of a larger grouping set. Only the host does:
/// it also merges the groups of a device's batches.
bool merges_parts(const plan::Pipeline& pipeline);

/// Where the pipelines of a plan run: by Options::device_only, the support of devices and the least estimated
/// time of all that have not run yet. The references outlive it.
class Placement {
 public:
  Placement(const std::vector<plan::Pipeline>& pipelines, const ops::Results& results,
            const ops::Options& options);

  /// The choice for pipeline `next`. Those before it have run; those after it are placed, too. Sources are
  /// written only for pipelines that may run on a device.
  Choice choose(size_t next);
  /// The choices before any pipeline has run, with all figures.
  std::vector<Choice> explain();
  /// Where a pipeline after the chosen one is to run.
  Place place_of(size_t i) const { return i < places_.runs.size() ? places_.runs[i] : kHost; }
  /// Whether the device of a place was open when the last choice was made.
  bool is_open(Place place) const;

 private:
  /// What sources show that are written for devices.
  struct Checked {
    std::string lacking;                // empty: devices support the pipeline
    std::vector<Kernels> kernels = {};  // of each device; none: unknown
  };
  /// What is known about a pipeline.
  struct Part {
    std::vector<size_t> reads;            // results
    std::vector<double> input_rows = {};  // of results, when the work was estimated
    std::vector<ops::Work> works = {};    // for each device, with all results in host memory
    std::optional<Checked> checked = {};  // none: supported and compiled, as far as is known
  };

  void look(size_t next);
  std::string decided(size_t i) const;
  std::string missing() const;
  Place only_place(size_t i) const;
  bool is_small(size_t i) const;
  void estimate_works();
  void check(size_t i);
  void place();
  PipelineTimes times_of(size_t i) const;
  PipelineTimes times_of_result(size_t i, PipelineTimes times) const;
  double device_seconds(size_t i, size_t device) const;
  const std::string& lacking(size_t i) const;
  Kernels kernels(size_t i, size_t device) const;
  bool is_left_on(size_t device, size_t result) const;
  bool is_left(size_t result) const;
  size_t shown(size_t i, Place place) const;
  Choice choice_of(size_t i, const std::set<Place>& opened) const;
  ops::Work work_now(size_t i, size_t device) const;
  std::string context_of(size_t i, bool on_device) const;

  const std::vector<plan::Pipeline>& pipelines_;
  const ops::Results& results_;
  const ops::Options& options_;
  bool explains_ = false;
  std::vector<ops::DeviceView> devices_ = {};
  size_t next_ = 0;  // pipelines before it have run
  std::vector<Part> parts_;
  std::vector<double> rows_;  // of the results
  Places places_ = {};
};

}  // namespace lanewise::exec
