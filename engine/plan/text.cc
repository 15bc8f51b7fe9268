#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/overloaded.h"
#include "plan/node.h"

namespace lanewise::plan {

namespace {

std::vector<std::string> names_of(const Schema& schema) {
  std::vector<std::string> names;
  for (const Field& field : schema) names.push_back(field.name);
  return names;
}

std::vector<std::string> names_of_input(const Node& node) {
  std::vector<std::string> names = names_of(node.children.empty() ? node.schema : node.children[0]->schema);
  if (std::holds_alternative<Join>(node.payload)) {
    const std::vector<std::string> right = names_of(node.children[1]->schema);
    names.insert(names.end(), right.begin(), right.end());
  }
  return names;
}

std::string joined(const std::vector<std::string>& parts, const char* between) {
  return fmt::format("{}", fmt::join(parts, between));
}

std::string text_of(const std::vector<ExprPtr>& exprs, const std::vector<std::string>& names,
                    const char* between) {
  std::vector<std::string> parts;
  for (const ExprPtr& expr : exprs) parts.push_back(expr->to_string(&names));
  return joined(parts, between);
}

std::string text_of(const std::vector<SortKey>& keys, const std::vector<std::string>& names) {
  std::vector<std::string> parts;
  for (const SortKey& key : keys) {
    parts.push_back(key.expr->to_string(&names) + (key.descending ? " DESC" : "") +
                    (key.nulls_first ? " NULLS FIRST" : ""));
  }
  return joined(parts, ", ");
}

std::string text_of(const AggregateCall& call, const std::vector<std::string>& names) {
  std::string args = call.args.empty() ? "*" : text_of(call.args, names, ", ");
  if (call.distinct) args = "DISTINCT " + args;
  if (!call.order.empty()) args += " ORDER BY " + text_of(call.order, names);
  std::string text = fmt::format("{}({})", call.function, args);
  if (call.filter != nullptr) text += fmt::format(" FILTER (WHERE {})", call.filter->to_string(&names));
  return text;
}

std::string text_of(const FrameBound& bound, const char* unbounded, const std::vector<std::string>& names) {
  switch (bound.end) {
    case FrameEnd::kUnbounded:
      return unbounded;
    case FrameEnd::kCurrentRow:
      return "CURRENT ROW";
    case FrameEnd::kPreceding:
      return bound.offset->to_string(&names) + " PRECEDING";
    case FrameEnd::kFollowing:
      return bound.offset->to_string(&names) + " FOLLOWING";
  }
  return {};
}

std::string text_of(const WindowCall& call, const std::vector<std::string>& names) {
  static constexpr const char* kUnits[] = {"ROWS", "RANGE", "GROUPS"};
  static constexpr const char* kExcluded[] = {"", " EXCLUDE CURRENT ROW", " EXCLUDE GROUP", " EXCLUDE TIES"};
  const Frame& frame = call.frame;
  return fmt::format(
      "{}{} {} BETWEEN {} AND {}{}", text_of(call.call, names), call.ignore_nulls ? " IGNORE NULLS" : "",
      kUnits[static_cast<size_t>(frame.unit)], text_of(frame.begin, "UNBOUNDED PRECEDING", names),
      text_of(frame.end, "UNBOUNDED FOLLOWING", names), kExcluded[static_cast<size_t>(frame.exclusion)]);
}

std::string text_of(const Window& window, const std::vector<std::string>& names) {
  std::vector<std::string> parts;
  for (const WindowCall& call : window.calls) parts.push_back(text_of(call, names));
  std::string text = joined(parts, ", ");
  if (!window.partition.empty()) text += " partition by " + text_of(window.partition, names, ", ");
  if (!window.order.empty()) text += " order by " + text_of(window.order, names);
  if (window.first_rows != 0) text += fmt::format(", the first {} rows of each partition", window.first_rows);
  return text;
}

std::string text_of(const Join& join, const Node& node) {
  const auto left = names_of(node.children[0]->schema), right = names_of(node.children[1]->schema);
  std::vector<std::string> parts;
  for (const JoinKey& key : join.keys) {
    parts.push_back(fmt::format("{} {} {}", key.left->to_string(&left),
                                key.null_is_equal ? "IS NOT DISTINCT FROM" : "=",
                                key.right->to_string(&right)));
  }
  if (join.range) {
    parts.push_back(fmt::format("{}{} {} {}", join.range->nearest ? "nearest " : "",
                                join.range->left->to_string(&left), name(join.range->order),
                                join.range->right->to_string(&right)));
  }
  const auto both = names_of_input(node);
  if (join.condition != nullptr) parts.push_back(join.condition->to_string(&both));
  const char* const kind = name(join.kind);
  return parts.empty() ? kind : fmt::format("{} on {}", kind, joined(parts, " AND "));
}

std::string text_of(int64_t limit, int64_t offset) {
  std::string text = limit < 0 ? "" : fmt::format("limit {}", limit);
  if (offset > 0) text += fmt::format("{}offset {}", text.empty() ? "" : " ", offset);
  return text;
}

/// All expressions of a node.
std::vector<ExprPtr> exprs_of(const Payload& payload) {
  std::vector<ExprPtr> exprs;
  auto add = [&](const std::vector<ExprPtr>& some) { exprs.insert(exprs.end(), some.begin(), some.end()); };
  std::visit(
      Overloaded{
          [&](const Scan& scan) { add(scan.predicates); },
          [&](const Filter& filter) { exprs.push_back(filter.predicate); },
          [&](const Project& project) { add(project.exprs); },
          [&](const Aggregate& aggregate) {
            add(aggregate.keys);
            for (const AggregateCall& call : aggregate.aggregates) {
              add(call.args);
              if (call.filter != nullptr) exprs.push_back(call.filter);
            }
          },
          [&](const Window& window) {
            add(window.partition);
            for (const SortKey& key : window.order) exprs.push_back(key.expr);
            for (const WindowCall& call : window.calls) add(call.call.args);
          },
          [&](const Join& join) {
            if (join.condition != nullptr) exprs.push_back(join.condition);
          },
          [&](const Unnest& unnest) { add(unnest.lists); },
          [&](const Sort& sort) {
            for (const SortKey& key : sort.keys) exprs.push_back(key.expr);
          },
          [](const OneOf<Values, Limit, Distinct, UnionAll, ScalarJoin, Cte, CteRef, Recursion> auto&) {}},
      payload);
  return exprs;
}

/// The lines for lanes of `target` prepared by the expression and its subexpressions, without duplicates.
void describe(const Expr& expr, const std::vector<std::string>& names, lanes::Target target,
              const lanes::Tuning& tuning, std::vector<std::string>& lines) {
  const std::string text = expr.prepared == nullptr ? "" : expr.prepared->describe(target, tuning);
  if (!text.empty()) {
    std::string line = fmt::format("{}: {}", expr.to_string(&names), text);
    if (std::find(lines.begin(), lines.end(), line) == lines.end()) lines.push_back(std::move(line));
  }
  for (size_t i = 0; i < expr.args.size(); ++i) {
    if (expr.prepared == nullptr || !expr.prepared->holds(i))
      describe(*expr.args[i], names, target, tuning, lines);
  }
}

void print(const Node& node, lanes::Target target, const lanes::Tuning& tuning, int depth, std::string& out) {
  const std::string text = details(node);
  out += fmt::format("{:{}}{}", "", depth * 2, name(node.payload));
  if (!text.empty()) out += ": " + text;
  if (node.estimated_rows >= 0) out += fmt::format(" (about {} rows)", std::llround(node.estimated_rows));
  out += '\n';
  for (const std::string& line : matchers(node, target, tuning))
    out += fmt::format("{:{}}{}\n", "", depth * 2 + 4, line);
  for (const NodePtr& child : node.children) print(*child, target, tuning, depth + 1, out);
}

}  // namespace

const char* name(JoinKind kind) {
  static constexpr const char* kNames[] = {"inner", "left",       "right",      "full", "semi",
                                           "anti",  "right semi", "right anti", "mark", "single"};
  return kNames[static_cast<size_t>(kind)];
}

const char* name(RangeOrder order) {
  static constexpr const char* kNames[] = {"<", "<=", ">", ">="};
  return kNames[static_cast<size_t>(order)];
}

const char* name(const Payload& payload) {
  static constexpr const char* kNames[] = {"Scan",   "Values",   "Filter", "Project",  "Aggregate",  "Sort",
                                           "Limit",  "Distinct", "Window", "UnionAll", "ScalarJoin", "Join",
                                           "Unnest", "Cte",      "CteRef", "Recursion"};
  static_assert(std::size(kNames) == std::variant_size_v<Payload>, "each kind of node has a name here");
  return kNames[payload.index()];
}

std::string details(const Node& node) {
  const auto names = names_of_input(node);
  return std::visit(
      Overloaded{
          [&](const Scan& scan) {
            std::string columns = fmt::format("{} [{}]", scan.source->name(), joined(names, ", "));
            return scan.predicates.empty() ? columns
                                           : columns + " " + text_of(scan.predicates, names, " AND ");
          },
          [&](const Values& table) { return fmt::format("{} rows", table.table->rows()); },
          [&](const Filter& filter) { return filter.predicate->to_string(&names); },
          [&](const Project& project) { return text_of(project.exprs, names, ", "); },
          [&](const Aggregate& aggregate) {
            std::vector<std::string> parts;
            for (const AggregateCall& call : aggregate.aggregates) parts.push_back(text_of(call, names));
            std::string calls = joined(parts, ", ");
            if (aggregate.keys.empty()) return calls;
            return calls + (calls.empty() ? "by " : " by ") + text_of(aggregate.keys, names, ", ");
          },
          [&](const Sort& sort) {
            std::string range = text_of(sort.limit, sort.offset);
            return text_of(sort.keys, names) + (range.empty() ? "" : " " + range);
          },
          [&](const Limit& limit) { return text_of(limit.limit, limit.offset); },
          [&](const Window& window) { return text_of(window, names); },
          [&](const Join& join) { return text_of(join, node); },
          [&](const Unnest& unnest) { return text_of(unnest.lists, names, ", "); },
          [&](const Cte& cte) { return fmt::format("#{}", cte.id); },
          [&](const CteRef& ref) { return fmt::format("#{}", ref.id); },
          [&](const Recursion& recursion) {
            std::string text = fmt::format("#{}{}", recursion.id, recursion.distinct ? " distinct" : "");
            for (size_t i = 0; i < recursion.keys.size(); ++i)
              text += (i == 0 ? " by " : ", ") + node.schema[recursion.keys[i]].name;
            return text;
          },
          [](const OneOf<Distinct, UnionAll, ScalarJoin> auto&) { return std::string(); },
      },
      node.payload);
}

std::vector<std::string> matchers(const Node& node, lanes::Target target, const lanes::Tuning& tuning) {
  const auto names = names_of_input(node);
  std::vector<std::string> lines;
  for (const ExprPtr& expr : exprs_of(node.payload)) {
    describe(*expr, names, target, tuning, lines);
  }
  return lines;
}

std::string to_string(const Node& node, lanes::Target target, const lanes::Tuning& tuning) {
  std::string out;
  print(node, target, tuning, 0, out);
  return out;
}

}  // namespace lanewise::plan
