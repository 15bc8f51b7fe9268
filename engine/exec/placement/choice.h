#pragma once

#include <string>
#include <vector>

#include "exec/execute.h"
#include "exec/pipeline.h"
#include "exec/placement/estimate.h"
#include "exec/results.h"

namespace lanewise::exec {

/// How a pipeline's kernels are obtained, as far as known before its columns are on the GPU.
enum class Kernels : uint8_t {
  kUnknown,  ///< not known
  kToCompile,
  kCached,  ///< this machine has compiled them before
  kAhead,   ///< they were compiled with the program
};

/// Where a pipeline runs, and why.
struct Choice {
  bool on_device = false;
  Work work = {};
  Estimate host = {}, device = {};  ///< zero if a reason decided first
  bool at_least = false;            ///< device: a lower bound, as the time to compile kernels is not included
  Kernels kernels = Kernels::kUnknown;
  std::string reason = {};  ///< what decided instead of the estimates, for messages; empty: the estimates

  /// "on the CPU: about 2.1 ms, on the GPU 36.0 ms", or the reason.
  std::string text() const;
  /// "12.1 ms: groups 11.0 ms, load 1.1 ms; kernels compiled ahead"
  std::string device_text() const;
};

/// How much of a choice is computed.
enum class Thoroughness : uint8_t {
  kRun,      ///< only what the decision needs: sources are written only if the GPU may win
  kExplain,  ///< all figures
};

/// Chooses by Options::device_only, the devices' support and the estimates. `results` are those of the
/// earlier pipelines, as far as they exist; `result_rows` is how many rows they have or are expected to have.
Choice choose(const Pipeline& pipeline, const Results& results, const std::vector<double>& result_rows,
              const Options& options, Thoroughness thoroughness);

/// Records that this machine has compiled the pipeline's kernels for this GPU, for later choices.
void note_compiled(const Pipeline& pipeline, const Results& results, const Options& options);

}  // namespace lanewise::exec
