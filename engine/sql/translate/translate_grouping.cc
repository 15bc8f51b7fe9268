#include <algorithm>
#include <functional>

#include "ops/aggregate/partial.h"
#include "sql/translate/translate.h"
#include "sql/values/types.h"

namespace lanewise::sql {

namespace {

using duckdb::GroupingSet;

/// GROUPING(a, b): one bit per argument, set if the grouping set omits the column.
int64_t grouping_bits(const duckdb::unsafe_vector<duckdb::idx_t>& columns, const GroupingSet& set) {
  int64_t result = 0;
  for (duckdb::idx_t column : columns) result = result << 1 | (set.count(column) == 0 ? 1 : 0);
  return result;
}

/// Whether it is cheaper to compute the rows again than to keep them.
bool is_cheap(const plan::Node& node) {
  const bool streams = std::holds_alternative<plan::Filter>(node.payload) ||
                       std::holds_alternative<plan::Project>(node.payload);
  return node.children.empty() || (streams && is_cheap(*node.children[0]));
}

/// The groups of one grouping set, and what is known of their rows.
struct Level {
  GroupingSet set;
  uint64_t id = 0;
  plan::NodePtr node;           ///< the set's keys, then `columns`
  std::vector<size_t> states;   ///< by call: the first column of its states
  std::vector<size_t> results;  ///< by call
};

/// Grouping sets that are aggregated from each other, the finest one from the rows.
class Levels {
 public:
  Levels(std::vector<ExprPtr> groups, std::vector<std::string> names, std::vector<ops::Partial> calls)
      : groups_(std::move(groups)), names_(std::move(names)), calls_(std::move(calls)) {}

  void add_finest(const plan::NodePtr& rows, const GroupingSet& set, uint64_t id) {
    std::vector<ExprPtr> keys;
    for (const auto group : set) keys.push_back(groups_[group]);
    add(rows, set, id, std::move(keys), [&](size_t call, std::vector<plan::AggregateCall>& made) {
      const ops::Partial& one = calls_[call];
      made.insert(made.end(), one.states.begin(), one.states.end());
      if (!one.state_is_result()) made.push_back(one.result);
    });
  }
  /// From the smallest set so far that has all its groups.
  void add(const GroupingSet& set, uint64_t id) {
    if (find(set) != nullptr) return;
    const Level* from = &levels_[0];
    for (const Level& level : levels_)
      if (std::ranges::includes(level.set, set) && level.set.size() < from->set.size()) from = &level;
    const plan::NodePtr rows = plan::cte_ref(from->id, from->node->schema);
    std::vector<ExprPtr> keys;
    for (const auto group : set) {
      const auto at = static_cast<size_t>(std::distance(from->set.begin(), from->set.find(group)));
      keys.push_back(column(at, rows->schema[at].type));
    }
    add(rows, set, id, std::move(keys), [&](size_t call, std::vector<plan::AggregateCall>& made) {
      const ops::Partial& one = calls_[call];
      const auto states = one.merged_states(from->states[call]);
      made.insert(made.end(), states.begin(), states.end());
      if (!one.state_is_result()) made.push_back(one.merged_result(from->states[call]));
    });
  }
  const Level* find(const GroupingSet& set) const {
    const auto found = std::ranges::find(levels_, set, &Level::set);
    return found == levels_.end() ? nullptr : &*found;
  }
  /// `body`, which reads the levels.
  plan::NodePtr with_levels(plan::NodePtr body) const {
    for (auto level = levels_.rbegin(); level != levels_.rend(); ++level)
      body = plan::cte(level->id, level->node, std::move(body));
    return body;
  }

 private:
  template <class Calls>
  void add(const plan::NodePtr& rows, const GroupingSet& set, uint64_t id, std::vector<ExprPtr> keys,
           Calls calls) {
    Level level{set, id, nullptr, {}, {}};
    std::vector<plan::AggregateCall> made;
    std::vector<std::string> names;
    for (const auto group : set) names.push_back(names_[group]);
    for (size_t call = 0; call < calls_.size(); ++call) {
      level.states.push_back(set.size() + made.size());
      calls(call, made);
      level.results.push_back(set.size() + made.size() - 1);
      names.resize(set.size() + made.size(), names_[groups_.size() + call]);
    }
    level.node = plan::aggregate(rows, std::move(keys), std::move(made), std::move(names));
    levels_.push_back(std::move(level));
  }

  std::vector<ExprPtr> groups_;
  std::vector<std::string> names_;  // of groups, then of calls
  std::vector<ops::Partial> calls_;
  std::vector<Level> levels_;
};

}  // namespace

Rows Translator::aggregate(duckdb::LogicalAggregate& op) {
  Rows input = rows(*op.children[0]);
  if (op.grouping_sets.size() <= 1) {
    GroupingSet all;
    for (duckdb::idx_t i = 0; i < op.groups.size(); ++i) all.insert(i);
    return grouping_set(op, op.grouping_functions.empty() ? all : op.grouping_sets[0], input);
  }
  if (plan::NodePtr node = sets_from_parts(op, input)) return all_of(std::move(node));
  const bool keeps = !is_cheap(*input.node) && input.sort_keys.empty();
  const uint64_t id = next_id_++;
  const plan::NodePtr once = keeps ? exact(std::move(input)) : nullptr;
  if (keeps) input = all_of(plan::cte_ref(id, once->schema));
  std::vector<plan::NodePtr> sets;
  for (const GroupingSet& set : op.grouping_sets) sets.push_back(exact(grouping_set(op, set, input)));
  plan::NodePtr node = plan::union_all(std::move(sets));
  return all_of(keeps ? plan::cte(id, once, std::move(node)) : std::move(node));
}

std::vector<Translator::Calls> Translator::all_calls(const duckdb::LogicalAggregate& op, const Rows& input) {
  std::vector<Calls> made;
  for (const auto& expr : op.expressions)
    made.push_back(calls(expr->Cast<duckdb::BoundAggregateExpression>(), input));
  return made;
}

plan::NodePtr Translator::sets_from_parts(duckdb::LogicalAggregate& op, const Rows& input) {
  std::vector<ops::Partial> parts;
  for (const Calls& made : all_calls(op, input)) {
    auto part = made.whole ? std::nullopt : ops::partial(made.calls[0]);
    if (!part) return nullptr;
    parts.push_back(std::move(*part));
  }
  GroupingSet finest;
  for (const GroupingSet& set : op.grouping_sets) finest.insert(set.begin(), set.end());
  std::vector<ExprPtr> groups;
  std::vector<std::string> names;
  for (const auto& group : op.groups) {
    groups.push_back(comparable(expression(*group, input)));
    names.push_back(group->GetName());
  }
  for (const auto& expr : op.expressions) names.push_back(expr->GetName());
  Levels levels(std::move(groups), names, std::move(parts));
  levels.add_finest(input.node, finest, next_id_++);
  std::vector<GroupingSet> by_size(op.grouping_sets.begin(), op.grouping_sets.end());
  std::ranges::stable_sort(by_size, std::greater(), [](const GroupingSet& set) { return set.size(); });
  for (const GroupingSet& set : by_size) levels.add(set, next_id_++);

  std::vector<plan::NodePtr> sets;
  for (const GroupingSet& set : op.grouping_sets) {
    const Level& level = *levels.find(set);
    const plan::NodePtr rows = plan::cte_ref(level.id, level.node->schema);
    std::vector<ExprPtr> results;
    for (const size_t result : level.results) results.push_back(column(result, rows->schema[result].type));
    sets.push_back(with_all_groups(op, set, rows, std::move(results)));
  }
  return levels.with_levels(plan::union_all(std::move(sets)));
}

/// Groups, aggregates and GROUPING() of one grouping set.
Rows Translator::grouping_set(duckdb::LogicalAggregate& op, const GroupingSet& set, const Rows& input) {
  std::vector<ExprPtr> keys;
  std::vector<plan::AggregateCall> calls;
  std::vector<std::string> names;
  for (const auto group : set) {
    keys.push_back(comparable(expression(*op.groups[group], input)));
    names.push_back(op.groups[group]->GetName());
  }
  const std::vector<Calls> made = all_calls(op, input);
  bool plain = set.size() == op.groups.size() && op.grouping_functions.empty();
  for (size_t i = 0; i < made.size(); ++i) {
    calls.insert(calls.end(), made[i].calls.begin(), made[i].calls.end());
    names.resize(names.size() + made[i].calls.size(), op.expressions[i]->GetName());
    plain = plain && !made[i].whole;
  }
  const plan::NodePtr node = plan::aggregate(input.node, std::move(keys), std::move(calls), std::move(names));
  if (plain) return all_of(node);
  std::vector<ExprPtr> results;
  size_t next = set.size();
  for (const Calls& one : made) {
    std::vector<ExprPtr> parts;
    for (size_t i = 0; i < one.calls.size(); ++i, ++next)
      parts.push_back(column(next, node->schema[next].type));
    results.push_back(one.whole ? one.whole(std::move(parts)) : parts[0]);
  }
  return all_of(with_all_groups(op, set, node, std::move(results)));
}

plan::NodePtr Translator::with_all_groups(const duckdb::LogicalAggregate& op, const GroupingSet& set,
                                          const plan::NodePtr& node, std::vector<ExprPtr> results) {
  std::vector<ExprPtr> exprs;
  std::vector<std::string> names;
  size_t next = 0;
  for (duckdb::idx_t i = 0; i < op.groups.size(); ++i) {
    names.push_back(op.groups[i]->GetName());
    if (set.count(i) != 0) {
      exprs.push_back(column(next, node->schema[next].type));
      ++next;
    } else {
      exprs.push_back(literal(Value(type_of(op.groups[i]->return_type, names.back()))));
    }
  }
  for (size_t i = 0; i < results.size(); ++i) {
    exprs.push_back(std::move(results[i]));
    names.push_back(op.expressions[i]->GetName());
  }
  for (const auto& grouping : op.grouping_functions) {
    exprs.push_back(literal(Value::int64(grouping_bits(grouping, set))));
    names.emplace_back("GROUPING");
  }
  return plan::project(node, std::move(exprs), std::move(names));
}

}  // namespace lanewise::sql
