#pragma once

#include <string>
#include <vector>

#include "exec/execute.h"
#include "exec/pipeline.h"
#include "exec/placement/estimate.h"
#include "exec/results.h"

namespace lanewise::exec {

/// For a pipeline, as far as is known before its columns are on the GPU.
enum class Kernels : uint8_t {
  kUnknown,  ///< not known
  kToCompile,
  kCached,  ///< this machine has compiled them before
  kAhead,   ///< they came compiled with the program
};

/// Where a pipeline runs, and why.
struct Choice {
  bool on_device = false;
  Work work = {};
  Estimate host = {}, device = {};  ///< empty where the reason was known before
  bool at_least = false;            ///< device: with kernels to be compiled it would be more
  Kernels kernels = Kernels::kUnknown;
  std::string reason = {};  ///< what decided instead of the estimates, for people; empty: they did

  /// "on the CPU: about 2.1 ms, on the GPU 36.0 ms", or the reason.
  std::string text() const;
  /// "12.1 ms: groups 11.0 ms, load 1.1 ms; kernels compiled ahead"
  std::string device_text() const;
};

/// Which choice is requested.
enum class Thoroughness : uint8_t {
  kRun,      ///< what is not needed to decide is left out: sources are written only where the GPU may win
  kExplain,  ///< with all figures
};

/// Chooses by Options::device_only, what devices offer, and the estimates. `results` are those of the
/// pipelines before, as far as they are there; `result_rows` how many rows they have or are expected to have.
Choice choose(const Pipeline& pipeline, const Results& results, const std::vector<double>& result_rows,
              const Options& options, Thoroughness thoroughness);

/// Notes that this machine has compiled the pipeline's kernels for this GPU, for choices to come.
void note_compiled(const Pipeline& pipeline, const Results& results, const Options& options);

}  // namespace lanewise::exec
