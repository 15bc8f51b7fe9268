#include "exec/cores/pipeline_runner.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "exec/cores/join_parts.h"
#include "exec/cores/run.h"
#include "ops/join/build.h"
#include "ops/operator.h"
#include "ops/results/row_stream.h"
#include "primitives/parallel.h"

namespace lanewise::exec {

void PipelineRunner::run(size_t i, std::vector<ops::Counters>& counters) {
  const plan::Pipeline wanted = without_empty_joins(pipelines_[i]);
  for (const size_t read : results_read(wanted)) {
    if (!is_build(pipelines_[read]) || results_[read].build != nullptr || results_[read].parts != nullptr)
      continue;
    std::vector<ops::Counters> again(counters.size());  // of what a device has counted
    run(read, again);
  }
  for (const size_t read : results_read(wanted)) results_[read].bring(options_.budget);
  const plan::Pipeline pipeline = with_parts(wanted, counters);
  OpenPipeline open = opener_.open(pipeline);
  if (stream_ != nullptr && i + 1 == pipelines_.size() && pipeline.sink == nullptr) {
    auto sink = std::make_unique<ops::StreamSink>(pipeline.input, *stream_);
    open.stream = sink.get();
    open.sink = std::move(sink);
  }
  results_[i].table = exec::run(open, options_, counters);
  for (const size_t read : results_read(wanted))
    if (results_[read].parts != nullptr) note_keys(read, results_[read].parts->describe());
  if (!is_build(pipeline)) return;
  const auto& sink = static_cast<ops::BuildSink&>(*open.sink);
  results_[i].build = sink.build();
  results_[i].parts = sink.parts();
  if (sink.build() != nullptr) note_keys(i, sink.build()->describe());
  if (sink.parts() != nullptr) notes_[pipeline.line] += fmt::format("; in {} parts", sink.parts()->count());
}

void PipelineRunner::note_keys(size_t build, const std::string& text) {
  if (!text.empty()) keys_[&std::get<plan::Join>(pipelines_[build].sink->payload)].push_back(text);
}

/// Runs the pipeline as far as joins go whose build sides are in parts, and returns what is left of it.
plan::Pipeline PipelineRunner::with_parts(plan::Pipeline pipeline, std::vector<ops::Counters>& counters) {
  while (const auto build = join_in_parts(pipeline, results_)) {
    const plan::Node& join = *pipelines_[*build].sink;
    const Schema& left = join.children[0]->schema;
    auto sink = std::make_unique<ops::LeftPartsSink>(std::get<plan::Join>(join.payload), left,
                                                     results_[*build].parts->count());
    ops::LeftPartsSink& by_part = *sink;
    const std::vector<plan::Branch> before = branches_before(pipeline, *build);
    OpenPipeline open;
    open.sink = std::move(sink);
    for (const plan::Branch& branch : before) {
      open.branches.push_back(opener_.open(branch, std::nullopt));
      open.branches.back().columns.names = &left;
    }
    open.sink_line = pipelines_[*build].line;
    open.sink_is_operator = false;
    exec::run(open, options_, counters);
    SplitByParts split = split_by_parts(pipeline, *build, std::move(by_part.parts()), results_);
    if (!split.rest) return std::move(split.parts);
    OpenPipeline parts = opener_.open(split.parts);
    set_rows(*split.rest, exec::run(parts, options_, counters));
    pipeline = std::move(*split.rest);
  }
  return pipeline;
}

bool PipelineRunner::gives_no_rows(const plan::Branch& branch) const {
  const auto* marked = std::get_if<plan::MarkedRowsOf>(&branch.input);
  if (marked != nullptr && results_[marked->pipeline].rows() == 0) return true;
  return std::ranges::any_of(branch.steps, [&](const plan::StepSpec& step) {
    return ops::step_operator(*step.node).needs(step).match && results_[step.result].rows() == 0;
  });
}

plan::Pipeline PipelineRunner::without_empty_joins(plan::Pipeline pipeline) {
  for (plan::Branch& branch : pipeline.branches) {
    if (!gives_no_rows(branch)) continue;
    if (branch.line != plan::kNoLine)
      notes_[branch.line] += "; not read, as the other side of a join has no rows";
    branch.input = plan::RowsOfPart{std::make_shared<Table>(Table{branch.schema, {}})};
    // Another branch reads the rows without a match of a build side in parts, by this one's steps.
    const auto in_parts = [&](const plan::StepSpec& step) {
      return step.reads_result() && results_[step.result].parts != nullptr;
    };
    if (std::ranges::none_of(branch.steps, in_parts)) branch.steps.clear();
  }
  return pipeline;
}

ops::Results empty_results(const std::vector<plan::Pipeline>& pipelines) {
  ops::Results results;
  for (const plan::Pipeline& pipeline : pipelines) results.push_back({{pipeline.output, {}}});
  return results;
}

Table run_on_cores(const plan::NodePtr& root, const ops::Options& options) {
  ops::Options on_cores = options;
  on_cores.accelerator = nullptr;
  on_cores.store = nullptr;
  on_cores.progress = nullptr;
  const std::vector<plan::Pipeline> pipelines = split(*root);
  ops::Results results = empty_results(pipelines);
  std::vector<ops::Counters> counters(lines_of(*root).size());
  PipelineRunner::Notes notes;
  ops::KeyNotes keys;
  return with_threads(options.threads, [&] {
    PipelineRunner runner(pipelines, results, on_cores, notes, keys, nullptr);
    for (size_t i = 0; i < pipelines.size(); ++i) {
      runner.run(i, counters);
      results[i].table.schema = pipelines[i].output;
    }
    return std::move(results.back().table);
  });
}

}  // namespace lanewise::exec
