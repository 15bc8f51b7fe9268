#pragma once

#include <optional>
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

/// Where the pipelines of a plan run: by Options::device_only, the device's support and the least estimated
/// time of all that have not run yet. The references outlive it.
class Placement {
 public:
  Placement(const std::vector<plan::Pipeline>& pipelines, const ops::Results& results,
            const ops::Options& options);

  /// The choice for pipeline `next`. Those before it have run; those after it are placed, too. Sources are
  /// written only for pipelines that may run on the device.
  Choice choose(size_t next);
  /// The choices before any pipeline has run, with all figures.
  std::vector<Choice> explain();
  /// Whether a pipeline after the chosen one is to run on the device.
  bool is_on_device(size_t i) const { return places_.runs.size() > i && places_.runs[i] == Place::kDevice; }

 private:
  /// What sources show that are written for the device.
  struct Checked {
    std::string lacking;  // empty: the device supports the pipeline
    Kernels kernels = Kernels::kUnknown;
  };
  /// What is known about a pipeline.
  struct Part {
    std::vector<size_t> reads;            // results
    std::vector<double> input_rows = {};  // of results, when the work was estimated
    std::optional<ops::Work> work = {};   // with all results in host memory
    std::optional<Checked> checked = {};  // none: supported and compiled, as far as is known
  };

  void look(size_t next);
  std::string decided(size_t i) const;
  bool is_small(size_t i) const;
  void estimate_works();
  void check(size_t i);
  void place();
  PipelineTimes times_of(size_t i) const;
  PipelineTimes times_of_result(size_t i, PipelineTimes times) const;
  double device_seconds(size_t i) const;
  const std::string& lacking(size_t i) const;
  Kernels kernels(size_t i) const {
    return parts_[i].checked ? parts_[i].checked->kernels : Kernels::kUnknown;
  }
  bool is_left(size_t result) const;
  Choice choice_of(size_t i, bool open) const;
  ops::Work work_now(size_t i) const;
  std::string context_of(size_t i, bool on_device) const;

  const std::vector<plan::Pipeline>& pipelines_;
  const ops::Results& results_;
  const ops::Options& options_;
  bool explains_ = false;
  ops::DeviceView view_ = {};
  size_t next_ = 0;  // pipelines before it have run
  std::vector<Part> parts_;
  std::vector<double> rows_;  // of the results
  Places places_ = {};
};

}  // namespace lanewise::exec
