#include <algorithm>
#include <functional>
#include <unordered_map>

#include "expr/function.h"
#include "expr/functions/build.h"
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

bool varies(const Expr& expr) {
  bool found = false;
  walk(expr, [&](const Expr& part) { found |= part.function != nullptr && part.function->varies; });
  return found;
}

/// Whether the rows may be computed again: they are the same, and keeping them would take longer.
bool is_cheap(const plan::Node& node) {
  if (const auto* scan = std::get_if<plan::Scan>(&node.payload))
    return std::ranges::none_of(scan->predicates,
                                [](const ExprPtr& predicate) { return varies(*predicate); });
  if (const auto* filter = std::get_if<plan::Filter>(&node.payload))
    return !varies(*filter->predicate) && is_cheap(*node.children[0]);
  if (const auto* project = std::get_if<plan::Project>(&node.payload)) {
    return std::ranges::none_of(project->exprs, [](const ExprPtr& expr) { return varies(*expr); }) &&
           is_cheap(*node.children[0]);
  }
  return node.children.empty();
}

/// A set of groups: bit i for group i.
using Groups = uint64_t;
constexpr size_t kMostGroups = 64;

Groups groups_of(const GroupingSet& set) {
  Groups groups = 0;
  for (const auto group : set) groups |= Groups{1} << group;
  return groups;
}

/// A grouping set whose groups are aggregated once, for itself and for smaller sets.
struct Level {
  GroupingSet set;
  Groups groups = 0;
  uint64_t id = 0;     ///< of its Cte
  plan::NodePtr node;  ///< a column for each group of the set, then for each call its states and its result
  std::vector<size_t> states;   ///< by call: the column of the first state
  std::vector<size_t> results;  ///< by call: the column of the result, which may be the only state
};

/// Grouping sets that are aggregated from each other. The finest ones come from the rows.
class Levels {
 public:
  /// `names` are those of the groups, then of the calls.
  Levels(std::vector<ExprPtr> groups, std::vector<std::string> names, std::vector<ops::Partial> calls)
      : groups_(std::move(groups)), names_(std::move(names)), calls_(std::move(calls)) {}

  /// Larger sets come before smaller ones. `rows` are read if no set so far has all groups of this one.
  void add(const GroupingSet& set, uint64_t id, const plan::NodePtr& rows) {
    const Groups groups = groups_of(set);
    if (numbers_.contains(groups)) return;
    const Level* from = nullptr;
    for (const Level& level : levels_) {
      const bool has_all = (groups & ~level.groups) == 0;
      if (has_all && (from == nullptr || level.set.size() < from->set.size())) from = &level;
    }
    numbers_[groups] = levels_.size();
    levels_.push_back(from == nullptr ? from_rows(set, rows) : from_level(set, *from));
    levels_.back().groups = groups;
    levels_.back().id = id;
  }
  const Level& level_of(const GroupingSet& set) const { return levels_[numbers_.at(groups_of(set))]; }
  /// `body`, which reads the levels.
  plan::NodePtr with_levels(plan::NodePtr body) const {
    for (auto level = levels_.rbegin(); level != levels_.rend(); ++level)
      body = plan::cte(level->id, level->node, std::move(body));
    return body;
  }

 private:
  Level from_rows(const GroupingSet& set, const plan::NodePtr& rows) const {
    std::vector<ExprPtr> keys;
    for (const auto group : set) keys.push_back(groups_[group]);
    return made(set, rows, std::move(keys), [&](size_t call, auto add) {
      for (const plan::AggregateCall& state : calls_[call].states) add(state);
      if (!calls_[call].state_is_result()) add(calls_[call].result);
    });
  }
  Level from_level(const GroupingSet& set, const Level& from) const {
    const plan::NodePtr rows = plan::cte_ref(from.id, from.node->schema);
    std::vector<ExprPtr> keys;
    for (const auto group : set) {
      const auto at = static_cast<size_t>(std::distance(from.set.begin(), from.set.find(group)));
      keys.push_back(column(at, rows->schema[at].type));
    }
    return made(set, rows, std::move(keys), [&](size_t call, auto add) {
      const size_t first = from.states[call];
      for (const plan::AggregateCall& state : calls_[call].merged_states(first)) add(state);
      if (!calls_[call].state_is_result()) add(calls_[call].merged_result(first));
    });
  }
  /// add_call(call, add) adds the states of a call, then its result.
  template <class AddCall>
  Level made(const GroupingSet& set, const plan::NodePtr& rows, std::vector<ExprPtr> keys,
             AddCall add_call) const {
    Level level{.set = set, .node = nullptr, .states = {}, .results = {}};
    std::vector<plan::AggregateCall> calls;
    std::vector<std::string> names;
    for (const auto group : set) names.push_back(names_[group]);
    for (size_t call = 0; call < calls_.size(); ++call) {
      level.states.push_back(names.size());
      add_call(call, [&](const plan::AggregateCall& one) {
        calls.push_back(one);
        names.push_back(names_[groups_.size() + call]);
      });
      level.results.push_back(names.size() - 1);
    }
    level.node = plan::aggregate(rows, std::move(keys), std::move(calls), std::move(names));
    return level;
  }

  std::vector<ExprPtr> groups_;
  std::vector<std::string> names_;
  std::vector<ops::Partial> calls_;
  std::vector<Level> levels_;
  std::unordered_map<Groups, size_t> numbers_;  // of levels_
};

/// Groups by the fields of structs that are made of columns, and makes the structs of groups only: fields are
/// shorter keys than structs.
plan::NodePtr by_fields(plan::NodePtr node) {
  const auto& aggregate = std::get<plan::Aggregate>(node->payload);
  const auto is_made = [](const ExprPtr& key) {
    return key->function != nullptr && key->function->form == Function::Form::kStruct;
  };
  if (std::ranges::none_of(aggregate.keys, is_made)) return node;
  std::vector<ExprPtr> keys, shown;
  std::vector<std::string> names, key_names;
  const std::function<ExprPtr(const ExprPtr&)> add = [&](const ExprPtr& key) -> ExprPtr {
    if (!is_made(key)) {
      keys.push_back(key);
      return column(keys.size() - 1, key->type);
    }
    std::vector<ExprPtr> fields;
    for (const ExprPtr& field : key->args) fields.push_back(add(field));
    return lanewise::call("struct_pack", std::move(fields), key->type);
  };
  for (const ExprPtr& key : aggregate.keys) shown.push_back(add(key));
  key_names.resize(keys.size());
  for (size_t i = 0; i < aggregate.aggregates.size(); ++i)
    shown.push_back(column(keys.size() + i, aggregate.aggregates[i].type));
  for (const Field& field : node->schema) names.push_back(field.name);
  key_names.insert(key_names.end(), names.begin() + static_cast<std::ptrdiff_t>(aggregate.keys.size()),
                   names.end());
  node = plan::aggregate(node->children[0], std::move(keys), aggregate.aggregates, std::move(key_names));
  return plan::project(std::move(node), std::move(shown), std::move(names));
}

/// The sets, larger ones first.
std::vector<GroupingSet> by_size(const duckdb::vector<GroupingSet>& sets) {
  std::vector<GroupingSet> sorted(sets.begin(), sets.end());
  std::ranges::stable_sort(sorted, std::greater(), [](const GroupingSet& set) { return set.size(); });
  return sorted;
}

}  // namespace

Rows Translator::aggregate(duckdb::LogicalAggregate& op) {
  Rows input = rows(*op.children[0]);
  if (op.grouping_sets.size() <= 1) {
    GroupingSet all;
    for (duckdb::idx_t i = 0; i < op.groups.size(); ++i) all.insert(i);
    return grouping_set(op, op.grouping_functions.empty() ? all : op.grouping_sets[0], input);
  }
  // Sort keys that are made of several values are not columns, so they cannot be kept.
  const bool keeps = !is_cheap(*input.node) && input.sort_keys.empty();
  const uint64_t id = next_id_++;
  plan::NodePtr once;
  if (keeps) {
    once = exact(std::move(input));
    input = all_of(plan::cte_ref(id, once->schema));
  }
  plan::NodePtr node = sets_from_parts(op, input);
  if (node == nullptr) {
    std::vector<plan::NodePtr> sets;
    for (const GroupingSet& set : op.grouping_sets) sets.push_back(exact(grouping_set(op, set, input)));
    node = plan::union_all(std::move(sets));
  }
  return all_of(keeps ? plan::cte(id, once, std::move(node)) : std::move(node));
}

std::vector<Translator::Calls> Translator::all_calls(const duckdb::LogicalAggregate& op, const Rows& input) {
  std::vector<Calls> made;
  for (const auto& expr : op.expressions)
    made.push_back(calls(expr->Cast<duckdb::BoundAggregateExpression>(), input));
  return made;
}

plan::NodePtr Translator::sets_from_parts(duckdb::LogicalAggregate& op, const Rows& input) {
  if (op.groups.size() > kMostGroups) return nullptr;
  std::vector<ops::Partial> parts;
  for (const Calls& made : all_calls(op, input)) {
    auto part = made.whole ? std::nullopt : ops::partial(made.calls[0]);
    if (!part) return nullptr;
    parts.push_back(std::move(*part));
  }
  std::vector<ExprPtr> groups;
  std::vector<std::string> names;
  for (const auto& group : op.groups) {
    groups.push_back(expression(*group, input));
    names.push_back(group->GetName());
  }
  for (const auto& expr : op.expressions) names.push_back(expr->GetName());
  Levels levels(std::move(groups), names, std::move(parts));
  for (const GroupingSet& set : by_size(op.grouping_sets)) levels.add(set, next_id_++, input.node);

  std::vector<plan::NodePtr> sets;
  for (const GroupingSet& set : op.grouping_sets) {
    const Level& level = levels.level_of(set);
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
    keys.push_back(expression(*op.groups[group], input));
    names.push_back(op.groups[group]->GetName());
  }
  const std::vector<Calls> made = all_calls(op, input);
  bool plain = set.size() == op.groups.size() && op.grouping_functions.empty();
  for (size_t i = 0; i < made.size(); ++i) {
    calls.insert(calls.end(), made[i].calls.begin(), made[i].calls.end());
    names.resize(names.size() + made[i].calls.size(), op.expressions[i]->GetName());
    plain = plain && !made[i].whole;
  }
  const plan::NodePtr node =
      by_fields(plan::aggregate(input.node, std::move(keys), std::move(calls), std::move(names)));
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
