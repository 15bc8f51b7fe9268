#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "base/error.h"
#include "plan/node.h"

namespace lanewise::plan {

namespace {

[[noreturn]] void misfit(const char* node, std::string what) {
  throw InternalError(fmt::format("plan node {}: {}", node, what));
}

/// Checks that the columns read by `expr` are those of `input`.
void check(const char* node, const ExprPtr& expr, const Schema& input) {
  if (expr == nullptr) misfit(node, "an expression is missing");
  walk(*expr, [&](const Expr& part) {
    if (part.kind != Expr::Kind::kColumn) return;
    if (part.column >= input.size()) {
      misfit(node, fmt::format("column #{} of an input of {} columns", part.column, input.size()));
    }
    const Field& field = input[part.column];
    if (field.type != part.type) {
      misfit(node, fmt::format("column #{} ({}) is {}, not {}", part.column, field.name, field.type.name(),
                               part.type.name()));
    }
  });
}

void check_predicate(const char* node, const ExprPtr& expr, const Schema& input) {
  check(node, expr, input);
  if (expr->type != TypeId::kBool) misfit(node, "a predicate of type " + expr->type.name());
}

void check_keys(const char* node, const std::vector<SortKey>& keys, const Schema& input) {
  for (const SortKey& key : keys) check(node, key.expr, input);
}

void check_child(const char* node, const NodePtr& child) {
  if (child == nullptr) misfit(node, "a child is missing");
}

void check_range(const char* node, int64_t offset) {
  if (offset < 0) misfit(node, fmt::format("offset {}", offset));
}

/// The number of rows in [offset, offset + limit) of `rows` rows; negative: unknown.
double rows_within(double rows, int64_t limit, int64_t offset) {
  if (rows < 0) return limit < 0 ? rows : static_cast<double>(limit);
  rows = std::max(0.0, rows - static_cast<double>(offset));
  return limit < 0 ? rows : std::min(rows, static_cast<double>(limit));
}

NodePtr make(Payload payload, std::vector<NodePtr> children, Schema schema, double rows) {
  return std::make_shared<Node>(Node{std::move(payload), std::move(children), std::move(schema), rows});
}

/// The node, whose UNNEST repeats only columns that `readers` read; the readers are renumbered.
NodePtr narrowed(const NodePtr& node, std::vector<ExprPtr*> readers) {
  if (const auto* filter = std::get_if<Filter>(&node->payload)) {
    ExprPtr predicate = filter->predicate;
    readers.push_back(&predicate);
    NodePtr child = narrowed(node->children[0], std::move(readers));
    return child == node->children[0] ? node : plan::filter(std::move(child), std::move(predicate));
  }
  const auto* unnest = std::get_if<Unnest>(&node->payload);
  if (unnest == nullptr) return node;
  std::vector<bool> is_read(node->schema.size());
  for (const ExprPtr* reader : readers)
    for (const size_t column : columns_of(**reader)) is_read[column] = true;
  Unnest narrow{unnest->lists, {}};
  std::vector<size_t> place(node->schema.size());
  Schema schema;
  for (size_t i = 0; i < place.size(); ++i) {
    const bool is_repeated = i < unnest->kept.size();
    if (is_repeated && !is_read[i]) continue;
    if (is_repeated) narrow.kept.push_back(unnest->kept[i]);
    place[i] = schema.size();
    schema.push_back(node->schema[i]);
  }
  if (schema.size() == place.size()) return node;
  for (ExprPtr* reader : readers) *reader = remap(*reader, place);
  return make(std::move(narrow), node->children, std::move(schema), node->estimated_rows);
}

}  // namespace

NodePtr scan(std::shared_ptr<const Source> source, std::vector<size_t> columns,
             std::vector<ExprPtr> predicates) {
  if (source == nullptr) misfit("Scan", "the source is missing");
  Schema schema;
  for (size_t column : columns) {
    if (column >= source->schema().size())
      misfit("Scan", fmt::format("{} has no column #{}", source->name(), column));
    schema.push_back(source->schema()[column]);
  }
  for (const ExprPtr& predicate : predicates) check_predicate("Scan", predicate, schema);
  const double rows = predicates.empty() ? static_cast<double>(source->estimated_rows()) : -1;
  return make(Scan{std::move(source), std::move(columns), std::move(predicates)}, {}, std::move(schema),
              rows);
}

NodePtr values(std::shared_ptr<const Table> table) {
  if (table == nullptr) misfit("Values", "the table is missing");
  for (const Batch& batch : table->batches) {
    if (batch.columns.size() != table->schema.size())
      misfit("Values", "a batch does not have the table's columns");
    for (size_t i = 0; i < batch.columns.size(); ++i) {
      if (batch.columns[i]->rows != batch.rows) misfit("Values", "columns differ in length");
      if (batch.columns[i]->type != table->schema[i].type)
        misfit("Values", "a column is not of its field's type");
    }
  }
  Schema schema = table->schema;
  const auto rows = static_cast<double>(table->rows());
  return make(Values{std::move(table)}, {}, std::move(schema), rows);
}

NodePtr filter(NodePtr child, ExprPtr predicate) {
  check_child("Filter", child);
  check_predicate("Filter", predicate, child->schema);
  Schema schema = child->schema;
  return make(Filter{std::move(predicate)}, {std::move(child)}, std::move(schema), -1);
}

NodePtr project(NodePtr child, std::vector<ExprPtr> exprs, std::vector<std::string> names) {
  check_child("Project", child);
  if (exprs.size() != names.size()) misfit("Project", "as many names as expressions are needed");
  Schema schema;
  for (size_t i = 0; i < exprs.size(); ++i) {
    check("Project", exprs[i], child->schema);
    schema.push_back({std::move(names[i]), exprs[i]->type});
  }
  std::vector<ExprPtr*> readers;
  for (ExprPtr& expr : exprs) readers.push_back(&expr);
  child = narrowed(child, std::move(readers));
  const double rows = child->estimated_rows;
  return make(Project{std::move(exprs)}, {std::move(child)}, std::move(schema), rows);
}

NodePtr aggregate(NodePtr child, std::vector<ExprPtr> keys, std::vector<AggregateCall> aggregates,
                  std::vector<std::string> names) {
  check_child("Aggregate", child);
  if (keys.size() + aggregates.size() != names.size())
    misfit("Aggregate", "as many names as columns are needed");
  Schema schema;
  for (const ExprPtr& key : keys) {
    check("Aggregate", key, child->schema);
    schema.push_back({std::move(names[schema.size()]), key->type});
  }
  for (const AggregateCall& call : aggregates) {
    for (const ExprPtr& arg : call.args) check("Aggregate", arg, child->schema);
    if (call.filter != nullptr) check_predicate("Aggregate", call.filter, child->schema);
    check_keys("Aggregate", call.order, child->schema);
    schema.push_back({std::move(names[schema.size()]), call.type});
  }
  std::vector<ExprPtr*> readers;
  for (ExprPtr& key : keys) readers.push_back(&key);
  for (AggregateCall& call : aggregates) {
    for (ExprPtr& arg : call.args) readers.push_back(&arg);
    if (call.filter != nullptr) readers.push_back(&call.filter);
    for (SortKey& key : call.order) readers.push_back(&key.expr);
  }
  child = narrowed(child, std::move(readers));
  const double rows = keys.empty() ? 1 : -1;
  return make(Aggregate{std::move(keys), std::move(aggregates)}, {std::move(child)}, std::move(schema), rows);
}

NodePtr sort(NodePtr child, std::vector<SortKey> keys, int64_t limit, int64_t offset) {
  check_child("Sort", child);
  check_keys("Sort", keys, child->schema);
  check_range("Sort", offset);
  Schema schema = child->schema;
  const double rows = rows_within(child->estimated_rows, limit, offset);
  return make(Sort{std::move(keys), limit, offset}, {std::move(child)}, std::move(schema), rows);
}

NodePtr limit(NodePtr child, int64_t limit, int64_t offset) {
  check_child("Limit", child);
  check_range("Limit", offset);
  Schema schema = child->schema;
  const double rows = rows_within(child->estimated_rows, limit, offset);
  return make(Limit{limit, offset}, {std::move(child)}, std::move(schema), rows);
}

NodePtr distinct(NodePtr child) {
  check_child("Distinct", child);
  if (std::holds_alternative<Distinct>(child->payload)) return child;
  Schema schema = child->schema;
  return make(Distinct{}, {std::move(child)}, std::move(schema), -1);
}

NodePtr union_all(std::vector<NodePtr> children) {
  if (children.empty()) misfit("UnionAll", "a child is missing");
  double rows = 0;
  for (const NodePtr& child : children) {
    check_child("UnionAll", child);
    const Schema &first = children[0]->schema, &other = child->schema;
    if (!std::equal(first.begin(), first.end(), other.begin(), other.end(),
                    [](const Field& a, const Field& b) { return a.type == b.type; })) {
      misfit("UnionAll", "the children differ in their columns' types");
    }
    rows = rows < 0 || child->estimated_rows < 0 ? -1 : rows + child->estimated_rows;
  }
  Schema schema = children[0]->schema;
  return make(UnionAll{}, std::move(children), std::move(schema), rows);
}

NodePtr scalar_join(NodePtr child, NodePtr one_row, std::string message) {
  check_child("ScalarJoin", child);
  check_child("ScalarJoin", one_row);
  Schema schema = child->schema;
  schema.insert(schema.end(), one_row->schema.begin(), one_row->schema.end());
  const double rows = child->estimated_rows;
  return make(ScalarJoin{std::move(message)}, {std::move(child), std::move(one_row)}, std::move(schema),
              rows);
}

bool gives_left(JoinKind kind) { return kind != JoinKind::kRightSemi && kind != JoinKind::kRightAnti; }

bool gives_right(JoinKind kind) {
  return kind != JoinKind::kSemi && kind != JoinKind::kAnti && kind != JoinKind::kMark;
}

bool asks_right(JoinKind kind) {
  return kind == JoinKind::kRight || kind == JoinKind::kFull || kind == JoinKind::kRightSemi ||
         kind == JoinKind::kRightAnti;
}

bool asks_existence(const Join& join) {
  const bool exists =
      join.kind == JoinKind::kSemi || join.kind == JoinKind::kAnti || join.kind == JoinKind::kMark;
  return exists && join.condition == nullptr && !join.range;
}

bool needs_match(JoinKind kind) {
  switch (kind) {
    case JoinKind::kInner:
    case JoinKind::kRight:
    case JoinKind::kSemi:
    case JoinKind::kRightSemi:
    case JoinKind::kRightAnti:
      return true;
    default:
      return false;
  }
}

NodePtr join(NodePtr left, NodePtr right, Join join) {
  check_child("Join", left);
  check_child("Join", right);
  for (const JoinKey& key : join.keys) {
    check("Join", key.left, left->schema);
    check("Join", key.right, right->schema);
    if (key.left->type.physical() != key.right->type.physical()) {
      misfit("Join", fmt::format("a key of {} and {}", key.left->type.name(), key.right->type.name()));
    }
  }
  if (join.range) {
    check("Join", join.range->left, left->schema);
    check("Join", join.range->right, right->schema);
    if (join.range->left->type.physical() != join.range->right->type.physical())
      misfit("Join", "a range's types");
    if (join.kind == JoinKind::kMark || join.kind == JoinKind::kSingle) misfit("Join", "a range");
  }
  Schema both = left->schema;
  both.insert(both.end(), right->schema.begin(), right->schema.end());
  if (join.condition != nullptr) check_predicate("Join", join.condition, both);
  Schema schema;
  const auto choose = [&](const std::vector<size_t>& columns, const Schema& from, bool allowed) {
    if (!allowed && !columns.empty()) misfit("Join", "columns of a side of which there are none");
    for (const size_t column : columns) {
      if (column >= from.size()) misfit("Join", fmt::format("no column #{}", column));
      schema.push_back(from[column]);
    }
  };
  choose(join.left, left->schema, gives_left(join.kind));
  choose(join.right, right->schema, gives_right(join.kind));
  if (join.kind == JoinKind::kMark) schema.push_back({"mark", TypeId::kBool});
  return make(std::move(join), {std::move(left), std::move(right)}, std::move(schema), -1);
}

NodePtr recursion(NodePtr anchor, NodePtr step, Recursion recursion) {
  check_child("Recursion", anchor);
  check_child("Recursion", step);
  if (anchor->schema.size() != step->schema.size()) misfit("Recursion", "a step with other columns");
  for (size_t i = 0; i < anchor->schema.size(); ++i) {
    if (anchor->schema[i].type != step->schema[i].type)
      misfit("Recursion", "a step with columns of other types");
  }
  Schema schema = anchor->schema;
  for (const size_t key : recursion.keys)
    if (key >= schema.size()) misfit("Recursion", "a key that is not a column");
  return make(std::move(recursion), {std::move(anchor), std::move(step)}, std::move(schema), -1);
}

NodePtr unnest(NodePtr child, std::vector<ExprPtr> lists, std::vector<std::string> names) {
  check_child("Unnest", child);
  if (names.size() != lists.size()) misfit("Unnest", "as many names as lists are needed");
  Schema schema = child->schema;
  for (size_t i = 0; i < lists.size(); ++i) {
    check("Unnest", lists[i], child->schema);
    const Type type = lists[i]->type;
    if (type.id != TypeId::kList && type.id != TypeId::kNull) misfit("Unnest", "elements of " + type.name());
    schema.push_back({std::move(names[i]), type.is_nested() ? type.element() : type});
  }
  std::vector<size_t> all(child->schema.size());
  std::iota(all.begin(), all.end(), size_t{0});
  return make(Unnest{std::move(lists), std::move(all)}, {std::move(child)}, std::move(schema), -1);
}

NodePtr window(NodePtr child, Window window, std::vector<std::string> names) {
  check_child("Window", child);
  const Schema& input = child->schema;
  for (const ExprPtr& key : window.partition) check("Window", key, input);
  check_keys("Window", window.order, input);
  if (names.size() != window.calls.size()) misfit("Window", "as many names as calls are needed");
  Schema schema = input;
  for (size_t i = 0; i < names.size(); ++i) {
    const AggregateCall& call = window.calls[i].call;
    for (const ExprPtr& arg : call.args) check("Window", arg, input);
    if (call.filter != nullptr) check_predicate("Window", call.filter, input);
    check_keys("Window", call.order, input);
    for (const FrameBound& bound : {window.calls[i].frame.begin, window.calls[i].frame.end}) {
      const bool counts = bound.end == FrameEnd::kPreceding || bound.end == FrameEnd::kFollowing;
      if (counts != (bound.offset != nullptr)) misfit("Window", "a frame's offset");
      if (counts) check("Window", bound.offset, input);
    }
    schema.push_back({std::move(names[i]), call.type});
  }
  const double rows = child->estimated_rows;
  return make(std::move(window), {std::move(child)}, std::move(schema), rows);
}

NodePtr cte(uint64_t id, NodePtr definition, NodePtr body) {
  check_child("Cte", definition);
  check_child("Cte", body);
  Schema schema = body->schema;
  const double rows = body->estimated_rows;
  return make(Cte{id}, {std::move(definition), std::move(body)}, std::move(schema), rows);
}

NodePtr cte_ref(uint64_t id, Schema schema) { return make(CteRef{id}, {}, std::move(schema), -1); }

NodePtr with_first_rows(const NodePtr& node, uint32_t rows) {
  auto copy = std::make_shared<Node>(*node);
  std::get<Window>(copy->payload).first_rows = rows;
  return copy;
}

NodePtr with_estimate(const NodePtr& node, double rows) {
  auto copy = std::make_shared<Node>(*node);
  copy->estimated_rows = rows;
  return copy;
}

}  // namespace lanewise::plan
