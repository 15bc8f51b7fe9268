#include <fmt/format.h>

#include "exec/gpu/run_on_device.h"
#include "exec/pipeline/pipeline.h"
#include "exec/placement/explain_device.h"
#include "exec/placement/placement.h"
#include "exec/recursion/recursion.h"
#include "exec/results/results.h"

namespace lanewise::exec {

std::string explain_device(const plan::NodePtr& root, bool kernels, const Options& options) {
  const auto no_rows = [](const plan::NodePtr& part) { return Table{part->schema, {}}; };
  const plan::NodePtr plain = without_recursion(root, no_rows, options.budget, options.cancellation);
  const std::vector<Pipeline> pipelines = split(*plain);
  Results results;  // without rows: only their types matter here
  for (const Pipeline& pipeline : pipelines) results.push_back({{pipeline.output, {}}});
  std::vector<Choice> choices;
  if (options.device_view) choices = Placement(pipelines, results, options).explain();
  std::string text;
  for (size_t i = 0; i < pipelines.size(); ++i) {
    const std::string reason = not_on_device(pipelines[i], results);
    const char* const sink = pipelines[i].sink == nullptr ? "Result" : plan::name(pipelines[i].sink->payload);
    text += fmt::format("pipeline {}, {}: ", i + 1, sink);
    if (options.device_view) {
      const Choice& choice = choices[i];
      text += choice.text() + "\n";
      text += fmt::format("    CPU  {}\n", to_string(choice.host));
      if (options.device_view().missing.empty()) text += fmt::format("    GPU  {}\n", choice.device_text());
    } else {
      text += fmt::format("{}\n", reason.empty() ? "supported on GPUs" : reason);
    }
    if (!kernels || !reason.empty()) continue;
    for (const std::string& source :
         kernel_sources(pipelines[i], results, options.device_strategy, {.nullable = true}, true))
      text += source;
  }
  return text;
}

}  // namespace lanewise::exec
