#include "exec/recursion.h"

#include <algorithm>
#include <unordered_map>
#include <utility>

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
  Recursions(const std::function<Table(const NodePtr&)>& run, const Cancellation* cancellation)
      : run_(run), cancellation_(cancellation) {}

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
    NodePtr first = resolve(node.children[0]);
    Table last = run_(recursion.distinct ? plan::distinct(first) : first);
    Table all{node.schema, {}};
    add(recursion, last, all);
    while (last.rows() != 0) {
      if (cancellation_ != nullptr) cancellation_->check();
      known_[recursion.id] = rows_of(Table{node.schema, std::move(last.batches)});
      if (reads_all) known_[recursion.all_id] = rows_of(all);
      NodePtr next = resolve(node.children[1]);
      if (recursion.distinct) next = missing(plan::distinct(next), rows_of(all));
      last = run_(next);
      add(recursion, last, all);
    }
    known_.erase(recursion.id);
    known_.erase(recursion.all_id);
    return all;
  }

  /// Adds the rows of a round; with keys they replace earlier ones.
  void add(const plan::Recursion& recursion, const Table& round, Table& all) const {
    all.batches.insert(all.batches.end(), round.batches.begin(), round.batches.end());
    if (recursion.keys.empty() || round.rows() == 0) return;
    const Schema schema = all.schema;
    all = {schema, run_(last_by_key(recursion.keys, rows_of(std::move(all)))).batches};
  }

  static NodePtr last_by_key(const std::vector<size_t>& keys, const NodePtr& rows) {
    std::vector<ExprPtr> groups, columns(rows->schema.size());
    std::vector<plan::AggregateCall> calls;
    std::vector<std::string> names, given;
    for (const size_t key : keys) {
      columns[key] = column(groups.size(), rows->schema[key].type);
      groups.push_back(column(key, rows->schema[key].type));
      names.push_back(rows->schema[key].name);
    }
    for (size_t i = 0; i < columns.size(); ++i) {
      const auto& [name, type, text_of] = rows->schema[i];
      given.push_back(name);
      if (columns[i] != nullptr) continue;
      columns[i] = column(keys.size() + calls.size(), type);
      plan::AggregateCall call;
      call.function = "last";
      call.args = {column(i, type)};
      call.type = type;
      calls.push_back(std::move(call));
      names.push_back(name);
    }
    NodePtr last = plan::aggregate(rows, std::move(groups), std::move(calls), std::move(names));
    return plan::project(std::move(last), std::move(columns), std::move(given));
  }

  /// The rows of `some` that are not in `all`.
  static NodePtr missing(const NodePtr& some, const NodePtr& all) {
    plan::Join join;
    join.kind = plan::JoinKind::kAnti;
    for (size_t i = 0; i < some->schema.size(); ++i) {
      join.keys.push_back({column(i, some->schema[i].type), column(i, all->schema[i].type), true});
      join.left.push_back(i);
    }
    return plan::join(some, all, std::move(join));
  }

  const std::function<Table(const NodePtr&)>& run_;
  const Cancellation* cancellation_;
  std::unordered_map<uint64_t, NodePtr> known_;  // rows of the CTEs that recursions read
};

}  // namespace

NodePtr without_recursion(const NodePtr& root, const std::function<Table(const NodePtr&)>& run,
                          const Cancellation* cancellation) {
  if (!any_node(*root, recurs)) return root;
  return Recursions(run, cancellation).resolve(root);
}

}  // namespace lanewise::exec
