#include "exec/recursion.h"

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "exec/recursion_rows.h"

namespace lanewise::exec {

namespace {

using plan::NodePtr;

NodePtr rows_of(Table table) { return plan::values(std::make_shared<Table>(std::move(table))); }

template <class F>
bool any_node(const plan::Node& node, F f) {
  return f(node) ||
         std::ranges::any_of(node.children, [&](const NodePtr& child) { return any_node(*child, f); });
}

bool recurs(const plan::Node& node) { return std::holds_alternative<plan::Recursion>(node.payload); }

bool reads(const plan::Node& node, uint64_t id) {
  return any_node(node, [&](const plan::Node& part) {
    const auto* ref = std::get_if<plan::CteRef>(&part.payload);
    return ref != nullptr && ref->id == id;
  });
}

class Recursions {
 public:
  Recursions(const std::function<Table(const NodePtr&)>& run, MemoryBudget* budget,
             const Cancellation* cancellation)
      : run_(run), budget_(budget), cancellation_(cancellation) {}

  NodePtr resolve(const NodePtr& node) {
    if (const auto* ref = std::get_if<plan::CteRef>(&node->payload)) {
      const auto found = known_.find(ref->id);
      return found == known_.end() ? node : found->second;
    }
    if (recurs(*node)) return rows_of(rows(*node));
    if (const auto* cte = std::get_if<plan::Cte>(&node->payload)) {
      // Input of a nested recursion is computed once, before it.
      const bool inside = any_node(
          *node->children[1], [&](const plan::Node& part) { return recurs(part) && reads(part, cte->id); });
      if (inside) {
        known_[cte->id] = rows_of(run_(resolve(node->children[0])));
        return resolve(node->children[1]);
      }
    }
    std::vector<NodePtr> children;
    for (const NodePtr& child : node->children) children.push_back(resolve(child));
    if (children == node->children) return node;
    plan::Node changed = *node;
    changed.children = std::move(children);
    return std::make_shared<plan::Node>(std::move(changed));
  }

 private:
  Table rows(const plan::Node& node) {
    const auto& recursion = std::get<plan::Recursion>(node.payload);
    const bool reads_all = reads(*node.children[1], recursion.all_id);
    RecursionRows all(recursion, node.schema, budget_, cancellation_);
    Table last = all.add(run_(resolve(node.children[0])));
    while (last.rows() != 0) {
      if (cancellation_ != nullptr) cancellation_->check();
      known_[recursion.id] = rows_of(Table{node.schema, std::move(last.batches)});
      if (reads_all) known_[recursion.all_id] = rows_of(all.all());
      last = all.add(run_(resolve(node.children[1])));
    }
    known_.erase(recursion.id);
    known_.erase(recursion.all_id);
    return all.all();
  }

  const std::function<Table(const NodePtr&)>& run_;
  MemoryBudget* budget_;
  const Cancellation* cancellation_;
  std::unordered_map<uint64_t, NodePtr> known_;  // rows of the CTEs that recursions read
};

}  // namespace

NodePtr without_recursion(const NodePtr& root, const std::function<Table(const NodePtr&)>& run,
                          MemoryBudget* budget, const Cancellation* cancellation) {
  if (!any_node(*root, recurs)) return root;
  return Recursions(run, budget, cancellation).resolve(root);
}

}  // namespace lanewise::exec
