#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "ops/results/row_stream.h"
#include "ops/run/profile.h"
#include "ops/scan/input.h"
#include "ops/sink.h"
#include "ops/step.h"

namespace lanewise::exec {

/// The columns of a chunk, for messages.
struct ChunkColumns {
  const Schema* names = nullptr;  ///< null: they have none
  std::vector<bool> of_input;     ///< whether a column comes from the branch's input, not from a build side
};

/// A step, and the plan line that counts its rows and time.
struct LineStep {
  std::string name;  ///< for errors
  size_t line;
  bool within_input;  ///< a scan's predicates and semi joins: the scan's line has already counted its rows
  std::unique_ptr<ops::Step> step;
  std::unique_ptr<ops::Expander> expander;  ///< instead of the step
  ChunkColumns columns;                     ///< of what it reads
};

/// A branch whose input is open, or is opened when its phase begins.
struct OpenBranch {
  std::string what;  ///< for messages: what is read; empty: no source
  size_t line;       ///< of the input, or kNoLine
  std::unique_ptr<ops::Input> input;
  std::vector<LineStep> steps;
  ChunkColumns columns;   ///< of what reaches the sink
  size_t ordered_by = 0;  ///< the sink's column that the morsels' bounds describe
  size_t phase = 0;       ///< see Branch::phase
  std::function<OpenBranch()> open_late =
      nullptr;  ///< set if there is no input yet; what it opens is released after the phase
};

/// A pipeline that is ready to run.
struct OpenPipeline {
  std::vector<OpenBranch> branches;
  std::unique_ptr<ops::Sink> sink;
  ops::StreamSink* stream = nullptr;  ///< the sink, if its rows go to a stream
  size_t sink_line;
  bool sink_is_operator;  ///< else it only collects the rows of its line
};

/// Runs the pipeline on the threads of with_threads() and adds its rows and times to `counters`, one per
/// line.
Table run(OpenPipeline& pipeline, const ops::Options& options, std::vector<ops::Counters>& counters);

}  // namespace lanewise::exec
