#include "exec/placement/explain.h"

#include <fmt/format.h>

#include "exec/gpu/run_on_device.h"
#include "exec/pipeline/pipeline.h"
#include "exec/placement/placement.h"
#include "exec/recursion/recursion.h"
#include "exec/results/results.h"

namespace lanewise::exec {

namespace {

/// The plan without recursions, which are replaced by tables without rows.
plan::NodePtr plain(const plan::NodePtr& root, const Options& options) {
  const auto no_rows = [](const plan::NodePtr& part) { return Table{part->schema, {}}; };
  return without_recursion(root, no_rows, options.budget, options.cancellation);
}

}  // namespace

std::vector<PipelineText> explained_pipelines(const plan::NodePtr& root, const Options& options) {
  return texts_of(split(*plain(root, options)));
}

std::string explain_pipelines(const plan::NodePtr& root, bool kernels, const Options& options) {
  const plan::NodePtr plan = plain(root, options);
  const std::vector<Pipeline> pipelines = split(*plan);
  const std::vector<PipelineText> texts = texts_of(pipelines);
  Results results;  // without rows: only their types matter here
  for (const Pipeline& pipeline : pipelines) results.push_back({{pipeline.output, {}}});
  std::vector<Choice> choices;
  if (options.device_view) choices = Placement(pipelines, results, options).explain();
  std::string text;
  for (size_t i = 0; i < pipelines.size(); ++i) {
    text += to_string(texts[i]) + "\n";
    if (options.device_view) {
      const Choice& choice = choices[i];
      text += fmt::format("    {}\n    CPU  {}\n", choice.text(), to_string(choice.host));
      if (options.device_view().missing.empty()) text += fmt::format("    GPU  {}\n", choice.device_text());
    }
    if (!kernels) continue;
    const std::string reason = not_on_device(pipelines[i], results);
    if (!options.device_view) text += fmt::format("    {}\n", reason.empty() ? "supported on GPUs" : reason);
    if (!reason.empty()) continue;
    for (const std::string& source :
         kernel_sources(pipelines[i], results, options.device_strategy, {.nullable = true}, true))
      text += source;
  }
  return text;
}

}  // namespace lanewise::exec
