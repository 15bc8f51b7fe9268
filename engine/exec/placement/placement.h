#pragma once

#include <string>
#include <vector>

#include "exec/execute.h"
#include "exec/pipeline.h"
#include "exec/placement/choice.h"
#include "exec/placement/places.h"
#include "exec/results.h"

namespace lanewise::exec {

/// Whether the sink merges results of parts, which are groups of a larger grouping set. Only the host does:
/// it also merges the groups of a device's batches.
bool merges_parts(const Pipeline& pipeline);

/// Where the pipelines of a plan run: by Options::device_only, the device's support and the least estimated
/// time of all that have not run yet. The references outlive it.
class Placement {
 public:
  Placement(const std::vector<Pipeline>& pipelines, const Results& results, const Options& options);

  /// The choice for pipeline `next`. Those before it have run; those after it are placed, too. Sources are
  /// written only for pipelines that may run on the device.
  Choice choose(size_t next);
  /// The choices before any pipeline has run, with all figures.
  std::vector<Choice> explain();
  /// Whether a pipeline after the chosen one is to run on the device.
  bool is_on_device(size_t i) const { return places_.runs.size() > i && places_.runs[i] == Place::kDevice; }

 private:
  /// What is known about a pipeline.
  struct Part {
    std::vector<size_t> reads;  // the results that it reads
    std::vector<double> input_rows =
        {};  // of the results that its branches read, when its work was estimated
    bool is_estimated = false;
    Work work = {};           // with all results in host memory
    bool is_checked = false;  // whether the device supports it
    std::string lacking = {};
    Kernels kernels = Kernels::kUnknown;
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
  bool is_left(size_t result) const;
  Choice choice_of(size_t i, bool open) const;
  Work work_now(size_t i) const;
  std::string context_of(size_t i, bool on_device) const;

  const std::vector<Pipeline>& pipelines_;
  const Results& results_;
  const Options& options_;
  bool explains_ = false;
  DeviceView view_ = {};
  size_t next_ = 0;  // pipelines before it have run
  std::vector<Part> parts_;
  std::vector<double> rows_;  // of the results
  Places places_ = {};
};

}  // namespace lanewise::exec
