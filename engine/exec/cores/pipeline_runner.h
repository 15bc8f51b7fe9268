#pragma once

#include <cstddef>
#include <vector>

#include "exec/cores/open_pipeline.h"
#include "ops/results/results.h"
#include "plan/pipeline/pipeline.h"

namespace lanewise::exec {

/// Runs pipelines of a plan on cores.
class PipelineRunner {
 public:
  using Notes = PipelineOpener::Notes;

  /// The references outlive it. The last pipeline's rows go to the stream, if there is one and they need no
  /// operator.
  PipelineRunner(const std::vector<plan::Pipeline>& pipelines, ops::Results& results,
                 const ops::Options& options, Notes& notes, ops::KeyNotes& keys, ops::RowStream* stream)
      : pipelines_(pipelines),
        results_(results),
        options_(options),
        notes_(notes),
        keys_(keys),
        stream_(stream),
        opener_(results, options, notes) {}

  /// Runs it after those before it. Build sides that only a device has are made again. What it leaves is its
  /// result, rows and times are added to `counters`.
  void run(size_t pipeline, std::vector<ops::Counters>& counters);
  /// Whether the branch needs a match in a build side without rows, or reads that side's own rows: nothing of
  /// it is read or evaluated.
  bool gives_no_rows(const plan::Branch& branch) const;
  /// Whether something was scanned, and all of it was in memory.
  bool all_hot() const { return opener_.all_hot(); }

 private:
  plan::Pipeline without_empty_joins(plan::Pipeline pipeline);
  void note_keys(size_t build, const std::string& text);
  plan::Pipeline with_parts(plan::Pipeline pipeline, std::vector<ops::Counters>& counters);

  const std::vector<plan::Pipeline>& pipelines_;
  ops::Results& results_;
  const ops::Options& options_;
  Notes& notes_;
  ops::KeyNotes& keys_;
  ops::RowStream* const stream_;  // null: the rows are collected
  PipelineOpener opener_;
};

/// Results without rows: their types.
ops::Results empty_results(const std::vector<plan::Pipeline>& pipelines);

/// What the plan gives, run on cores alone; it has no recursion. Throws what execute() throws.
Table run_on_cores(const plan::NodePtr& root, const ops::Options& options);

}  // namespace lanewise::exec
