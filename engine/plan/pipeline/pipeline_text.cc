#include "plan/pipeline/pipeline_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <variant>

#include "base/overloaded.h"

namespace lanewise::plan {

namespace {

std::string named_join(const Join& join) { return fmt::format("{} Join", name(join.kind)); }

/// Writes pipelines that follow `before` others.
class PipelineWriter {
 public:
  PipelineWriter(size_t before, const std::function<std::string(const Values&)>& name_of)
      : before_(before), name_of_(name_of) {}

  size_t number(size_t pipeline) const { return before_ + pipeline + 1; }
  std::string source_text(const Branch& branch) const {
    return std::visit(Overloaded{[](const Scan* scan) { return "Scan " + scan->source->name(); },
                                 [&](const Values* values) {
                                   const std::string name = name_of_ ? name_of_(*values) : "";
                                   return name.empty() ? "Values" : name;
                                 },
                                 [&](const ResultOf& result) {
                                   return fmt::format("result of {}", number(result.pipeline));
                                 },
                                 [&](const MarkedRowsOf& marked) {
                                   const auto& join = std::get<Join>(marked.join->payload);
                                   const bool has_match = join.kind == JoinKind::kRightSemi;
                                   return fmt::format("rows of {} {} match", number(marked.pipeline),
                                                      has_match ? "with a" : "without a");
                                 },
                                 [](const RowsOfPart&) { return std::string("rows of a part"); }},
                      branch.input);
  }
  std::string step_text(const StepSpec& step) const {
    const auto* const join = std::get_if<Join>(&step.node->payload);
    const std::string name = join != nullptr ? named_join(*join) : plan::name(step.node->payload);
    return step.reads_result() ? fmt::format("{} with {}", name, number(step.result)) : name;
  }

 private:
  const size_t before_;
  const std::function<std::string(const Values&)>& name_of_;
};

std::string sink_text(const Pipeline& pipeline) {
  if (pipeline.sink == nullptr) return "Result";
  const auto* const join = std::get_if<Join>(&pipeline.sink->payload);
  if (join == nullptr) return name(pipeline.sink->payload);
  if (join->keys.empty()) return "rows for " + named_join(*join);
  return fmt::format("lookup for {}, chosen when its keys are known", named_join(*join));
}

}  // namespace

std::vector<PipelineText> texts_of(const std::vector<Pipeline>& pipelines, size_t before,
                                   const std::function<std::string(const Values&)>& name_of) {
  const PipelineWriter writer(before, name_of);
  std::vector<PipelineText> texts;
  for (const Pipeline& pipeline : pipelines) {
    PipelineText& text =
        texts.emplace_back(PipelineText{writer.number(texts.size()), {}, sink_text(pipeline), {}});
    for (const Branch& branch : pipeline.branches) {
      auto& steps = text.branches.emplace_back(PipelineText::Branch{writer.source_text(branch), {}}).steps;
      for (const StepSpec& step : branch.steps) steps.push_back(writer.step_text(step));
    }
    for (const size_t read : results_read(pipeline)) text.after.push_back(writer.number(read));
  }
  return texts;
}

std::string to_string(const PipelineText& pipeline) {
  std::vector<std::string> branches;
  for (const auto& [source, steps] : pipeline.branches) {
    std::string text = source;
    for (const std::string& step : steps) text += " → " + step;
    branches.push_back(pipeline.branches.size() > 1 ? "(" + text + ")" : text);
  }
  const std::string part = pipeline.part.empty() ? "" : fmt::format(" ({})", pipeline.part);
  std::string text =
      fmt::format("pipeline {}{}: {} → {}", pipeline.number, part, fmt::join(branches, " + "), pipeline.sink);
  if (!pipeline.after.empty()) text += fmt::format("; after {}", fmt::join(pipeline.after, ", "));
  return text;
}

}  // namespace lanewise::plan
