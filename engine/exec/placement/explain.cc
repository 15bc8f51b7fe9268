#include "exec/placement/explain.h"

#include <fmt/format.h>

#include <unordered_map>
#include <unordered_set>

#include "exec/gpu/run_on_device.h"
#include "exec/placement/placement.h"
#include "ops/results/results.h"
#include "plan/pipeline/pipeline.h"

namespace lanewise::exec {

namespace {

using plan::NodePtr;

/// What runs as one graph of pipelines: a part of a recursion, or the plan itself.
struct PlanPart {
  std::string name;  // of the plan itself: empty
  NodePtr plan;
};

/// Divides a plan with recursions: their rows, and those that their rounds read, become Values.
class Parts {
 public:
  explicit Parts(const NodePtr& root) {
    NodePtr plan = without_recursions(root);
    parts_.push_back({"", std::move(plan)});
  }

  /// Those of recursions come before what reads their rows.
  const std::vector<PlanPart>& parts() const { return parts_; }
  std::string name_of(const plan::Values& values) const {
    const auto found = names_.find(values.table.get());
    return found == names_.end() ? "" : found->second;
  }

 private:
  NodePtr rows(const Schema& schema, std::string name) {
    auto table = std::make_shared<const Table>(Table{schema, {}});
    names_.emplace(table.get(), std::move(name));
    return plan::values(table);
  }
  NodePtr without_recursions(const NodePtr& node) {
    if (const auto* recursion = std::get_if<plan::Recursion>(&node->payload))
      return divide(*node, *recursion);
    if (const auto* ref = std::get_if<plan::CteRef>(&node->payload)) {
      if (const auto found = rounds_.find(ref->id); found != rounds_.end()) return found->second;
      return defined_.contains(ref->id) ? node : rows(node->schema, fmt::format("rows of CTE #{}", ref->id));
    }
    if (const auto* cte = std::get_if<plan::Cte>(&node->payload)) defined_.insert(cte->id);
    std::vector<NodePtr> children;
    for (const NodePtr& child : node->children) children.push_back(without_recursions(child));
    if (children == node->children) return node;
    plan::Node changed = *node;
    changed.children = std::move(children);
    return std::make_shared<plan::Node>(std::move(changed));
  }
  NodePtr divide(const plan::Node& node, const plan::Recursion& recursion) {
    const std::string number = fmt::format("recursion #{}", recursion.id);
    std::unordered_set<uint64_t> outside;
    outside.swap(defined_);
    NodePtr first = without_recursions(node.children[0]);
    parts_.push_back({"first rows of " + number, std::move(first)});
    rounds_[recursion.id] = rows(node.schema, "rows of the last round");
    rounds_[recursion.all_id] = rows(node.schema, "rows of " + number);
    NodePtr round = without_recursions(node.children[1]);
    parts_.push_back({"each round of " + number, std::move(round)});
    defined_.swap(outside);
    return rows(node.schema, "rows of " + number);
  }

  std::vector<PlanPart> parts_;
  std::unordered_map<const Table*, std::string> names_;
  std::unordered_map<uint64_t, NodePtr> rounds_;  // what CteRefs of recursions read
  std::unordered_set<uint64_t> defined_;          // CTEs of the part
};

/// Calls f(pipelines, their words) for each part of the plan.
template <class F>
void for_parts(const NodePtr& root, F f) {
  const Parts parts(root);
  size_t before = 0;
  for (const PlanPart& part : parts.parts()) {
    const std::vector<plan::Pipeline> pipelines = split(*part.plan);
    std::vector<plan::PipelineText> texts =
        texts_of(pipelines, before, [&](const plan::Values& values) { return parts.name_of(values); });
    for (plan::PipelineText& text : texts) text.part = part.name;
    before += pipelines.size();
    f(pipelines, texts);
  }
}

/// The lines of a part's pipelines.
std::string lines_of(const std::vector<plan::Pipeline>& pipelines,
                     const std::vector<plan::PipelineText>& texts, bool kernels,
                     const ops::Options& options) {
  ops::Results results;  // without rows: only their types matter here
  for (const plan::Pipeline& pipeline : pipelines) results.push_back({{pipeline.output, {}}});
  std::vector<Choice> choices;
  if (options.device_views) choices = Placement(pipelines, results, options).explain();
  std::string text;
  for (size_t i = 0; i < pipelines.size(); ++i) {
    text += to_string(texts[i]) + "\n";
    if (options.device_views) {
      const Choice& choice = choices[i];
      text += fmt::format("    {}\n    CPU  {}\n", choice.text(), to_string(choice.host));
      if (!choice.device.parts.empty()) text += fmt::format("    GPU  {}\n", choice.device_text());
    }
    if (!kernels) continue;
    const std::string reason = not_on_device(pipelines[i], results);
    if (!options.device_views) text += fmt::format("    {}\n", reason.empty() ? "supported on GPUs" : reason);
    if (!reason.empty()) continue;
    for (const std::string& source :
         kernel_sources(pipelines[i], results, options.device_strategy, {.nullable = true}, true))
      text += source;
  }
  return text;
}

}  // namespace

std::vector<plan::PipelineText> explained_pipelines(const NodePtr& root) {
  std::vector<plan::PipelineText> all;
  for_parts(root, [&](const std::vector<plan::Pipeline>&, const std::vector<plan::PipelineText>& texts) {
    all.insert(all.end(), texts.begin(), texts.end());
  });
  return all;
}

std::string explain_pipelines(const NodePtr& root, bool kernels, const ops::Options& options) {
  std::string text;
  for_parts(root,
            [&](const std::vector<plan::Pipeline>& pipelines, const std::vector<plan::PipelineText>& texts) {
              text += lines_of(pipelines, texts, kernels, options);
            });
  return text;
}

}  // namespace lanewise::exec
