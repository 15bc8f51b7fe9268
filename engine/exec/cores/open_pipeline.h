#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>

#include "exec/cores/run.h"
#include "ops/results/results.h"
#include "plan/pipeline/pipeline.h"

namespace lanewise::exec {

/// Whether the pipeline's sink does more than keep rows.
bool sink_is_operator(const plan::Pipeline& pipeline);

/// Opens the pipelines of a plan for cores: inputs, steps and sinks.
class PipelineOpener {
 public:
  using Notes = std::unordered_map<size_t, std::string>;

  /// The references outlive it and what it opens. `results` has those of the pipelines before. Notes on how
  /// inputs are read are added to their lines.
  PipelineOpener(const ops::Results& results, const ops::Options& options, Notes& notes)
      : results_(results), options_(options), notes_(notes) {}

  /// The pipeline outlives what is opened.
  OpenPipeline open(const plan::Pipeline& pipeline);
  /// `order` is the one in which the sink wants its rows.
  OpenBranch open(const plan::Branch& branch, const std::optional<ops::InputOrder>& order);
  /// Whether something was scanned, and all of it was in memory.
  bool all_hot() const { return scans_ > 0 && hot_scans_ == scans_; }

 private:
  OpenBranch open_now(const plan::Branch& branch, const std::optional<ops::InputOrder>& order);
  std::unique_ptr<ops::Input> open_table(const Table& table, bool expands = false);
  /// Whether a row of the branch may have many matches in a join, whose build side is complete.
  bool expands(const plan::Branch& branch) const;
  void open_scan(const plan::Scan& scan, const plan::Branch& branch,
                 const std::optional<ops::InputOrder>& order, OpenBranch& open);

  const ops::Results& results_;
  const ops::Options& options_;
  Notes& notes_;
  size_t scans_ = 0;
  size_t hot_scans_ = 0;
};

}  // namespace lanewise::exec
