#include "exec/recursion/recursion.h"

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "exec/recursion/recursion_rows.h"
#include "plan/pipeline/pipeline.h"

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

/// Whether a recursion in `node` reads the CTE, or another one that is made of it.
bool recursion_reads(const plan::Node& node, uint64_t id) {
  return any_node(node, [&](const plan::Node& part) {
    if (recurs(part)) return reads(part, id);
    const auto* cte = std::get_if<plan::Cte>(&part.payload);
    return cte != nullptr && reads(*part.children[0], id) && recursion_reads(*part.children[1], cte->id);
  });
}

/// The recursion whose rows a limit takes one by one: it ends with them, and may have no other end.
const plan::Node* limited_recursion(const plan::Node& node) {
  const auto* limit = std::get_if<plan::Limit>(&node.payload);
  if (limit == nullptr || limit->limit < 0) return nullptr;
  const plan::Node* below = node.children[0].get();
  while (is_step(*below) && below->children.size() == 1) below = below->children[0].get();
  const auto* recursion = std::get_if<plan::Recursion>(&below->payload);
  return recursion != nullptr && !recursion->replaces() ? below : nullptr;
}

/// Whether each row of the recursion below becomes one row.
bool takes_all(const plan::Node& node) {
  return recurs(node) ||
         (std::holds_alternative<plan::Project>(node.payload) && takes_all(*node.children[0]));
}

/// The nodes from `node` down to a recursion, with `leaf` in its place.
NodePtr with_leaf(const NodePtr& node, const NodePtr& leaf) {
  if (recurs(*node)) return leaf;
  plan::Node changed = *node;
  changed.children[0] = with_leaf(node->children[0], leaf);
  return std::make_shared<plan::Node>(std::move(changed));
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
    if (const plan::Node* recursion = limited_recursion(*node)) {
      const auto& limit = std::get<plan::Limit>(node->payload);
      const NodePtr& taken = node->children[0];
      int64_t needed = limit.limit > INT64_MAX - limit.offset ? INT64_MAX : limit.offset + limit.limit;
      if (takes_all(*taken)) {
        return with_leaf(node, rows_of(rows(*recursion, [&](const Table& last) {
                           needed -= last.rows();
                           return needed <= 0;
                         })));
      }
      Table kept{taken->schema, {}};  // nothing is evaluated twice: random() would choose other rows
      rows(*recursion, [&](const Table& last) {
        for (Batch& batch : run_(resolve(with_leaf(taken, rows_of(last)))).batches) {
          needed -= batch.rows;
          kept.batches.push_back(std::move(batch));
        }
        return needed <= 0;
      });
      plan::Node limited = *node;
      limited.children[0] = rows_of(std::move(kept));
      return std::make_shared<plan::Node>(std::move(limited));
    }
    if (const auto* cte = std::get_if<plan::Cte>(&node->payload)) {
      // Input of a nested recursion is computed once, before it.
      if (recursion_reads(*node->children[1], cte->id)) {
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
  /// All rows of a recursion; or those until `ends` returns true for the rows of a round.
  Table rows(const plan::Node& node, const std::function<bool(const Table&)>& ends = {}) {
    const auto& recursion = std::get<plan::Recursion>(node.payload);
    const bool reads_all = reads(*node.children[1], recursion.all_id);
    RecursionRows all(recursion, node.schema, budget_, cancellation_);
    Table last = all.add(run_(resolve(node.children[0])));
    while (last.rows() != 0 && !(ends && ends(last))) {
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
