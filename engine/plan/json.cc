#include <nlohmann/json.hpp>

#include "expr/function.h"
#include "plan/node.h"

namespace lanewise::plan {

namespace {

using Json = nlohmann::ordered_json;

Json json(const Expr& expr);

Json json(const std::vector<ExprPtr>& exprs) {
  Json out = Json::array();
  for (const ExprPtr& expr : exprs) out.push_back(json(*expr));
  return out;
}

Json json(const Value& value) { return value.is_null() ? Json(nullptr) : Json(value.to_string()); }

Json json(const Expr& expr) {
  switch (expr.kind) {
    case Expr::Kind::kColumn:
      return {{"column", expr.column}, {"type", expr.type.name()}};
    case Expr::Kind::kLiteral:
      return {{"literal", json(expr.literal)}, {"type", expr.type.name()}};
    case Expr::Kind::kCall:
      return {{"call", expr.function->name}, {"type", expr.type.name()}, {"args", json(expr.args)}};
    case Expr::Kind::kCast:
      return {{expr.try_cast ? "try_cast" : "cast", json(*expr.args[0])}, {"type", expr.type.name()}};
    case Expr::Kind::kAnd:
      return {{"and", json(expr.args)}};
    case Expr::Kind::kOr:
      return {{"or", json(expr.args)}};
    case Expr::Kind::kCase:
      return {{"case", json(expr.args)}, {"type", expr.type.name()}};
    case Expr::Kind::kCoalesce:
      return {{"coalesce", json(expr.args)}, {"type", expr.type.name()}};
    case Expr::Kind::kIn:
      return {{"in", json(expr.args)}};
  }
  throw InternalError("unknown kind of expression");
}

Json json(const std::vector<SortKey>& keys) {
  Json out = Json::array();
  for (const SortKey& key : keys) {
    out.push_back(
        {{"expr", json(*key.expr)}, {"descending", key.descending}, {"nulls_first", key.nulls_first}});
  }
  return out;
}

Json json(const AggregateCall& call) {
  Json out = {{"function", call.function}, {"type", call.type.name()}, {"args", json(call.args)}};
  if (call.distinct) out["distinct"] = true;
  if (call.filter != nullptr) out["filter"] = json(*call.filter);
  if (!call.order.empty()) out["order"] = json(call.order);
  return out;
}

Json json(const FrameBound& bound) {
  static constexpr const char* kEnds[] = {"unbounded", "preceding", "current row", "following"};
  Json out = {{"end", kEnds[static_cast<size_t>(bound.end)]}};
  if (bound.offset != nullptr) out["offset"] = json(*bound.offset);
  return out;
}

Json json(const WindowCall& call) {
  static constexpr const char* kUnits[] = {"rows", "range", "groups"};
  static constexpr const char* kExcluded[] = {"none", "current row", "group", "ties"};
  Json out = json(call.call);
  out["frame"] = {{"unit", kUnits[static_cast<size_t>(call.frame.unit)]},
                  {"begin", json(call.frame.begin)},
                  {"end", json(call.frame.end)},
                  {"excluded", kExcluded[static_cast<size_t>(call.frame.exclusion)]}};
  if (call.ignore_nulls) out["ignore_nulls"] = true;
  return out;
}

struct Writer {
  Json& out;

  void operator()(const Scan& scan) {
    out["source"] = scan.source->name();
    out["columns"] = scan.columns;
    out["predicates"] = json(scan.predicates);
  }
  void operator()(const Values& values) { out["rows"] = values.table->rows(); }
  void operator()(const Filter& filter) { out["predicate"] = json(*filter.predicate); }
  void operator()(const Project& project) { out["exprs"] = json(project.exprs); }
  void operator()(const Aggregate& aggregate) {
    out["keys"] = json(aggregate.keys);
    out["aggregates"] = Json::array();
    for (const AggregateCall& call : aggregate.aggregates) out["aggregates"].push_back(json(call));
  }
  void operator()(const Sort& sort) {
    out["keys"] = json(sort.keys);
    range(sort.limit, sort.offset);
  }
  void operator()(const Limit& limit) { range(limit.limit, limit.offset); }
  void operator()(const Distinct&) {}
  void operator()(const Window& window) {
    out["partition"] = json(window.partition);
    out["order"] = json(window.order);
    out["calls"] = Json::array();
    for (const WindowCall& call : window.calls) out["calls"].push_back(json(call));
    if (window.first_rows != 0) out["first_rows"] = window.first_rows;
  }
  void operator()(const UnionAll&) {}
  void operator()(const Join& join) {
    out["kind"] = name(join.kind);
    Json keys = Json::array();
    for (const JoinKey& key : join.keys) {
      keys.push_back(
          {{"left", json(*key.left)}, {"right", json(*key.right)}, {"null_is_equal", key.null_is_equal}});
    }
    out["keys"] = std::move(keys);
    if (join.range) {
      out["range"] = {{"left", json(*join.range->left)},
                      {"order", name(join.range->order)},
                      {"right", json(*join.range->right)},
                      {"nearest", join.range->nearest}};
    }
    if (join.condition != nullptr) out["condition"] = json(*join.condition);
    out["left"] = join.left;
    out["right"] = join.right;
  }
  void operator()(const ScalarJoin& join) { out["message"] = join.message; }
  void operator()(const Unnest& unnest) {
    out["lists"] = json(unnest.lists);
    out["kept"] = unnest.kept;
  }
  void operator()(const Cte& cte) { out["id"] = cte.id; }
  void operator()(const CteRef& ref) { out["id"] = ref.id; }
  void operator()(const Recursion& recursion) {
    out["id"] = recursion.id;
    out["all_id"] = recursion.all_id;
    out["distinct"] = recursion.distinct;
    if (!recursion.keys.empty()) out["keys"] = recursion.keys;
  }

  void range(int64_t limit, int64_t offset) {
    if (limit >= 0) out["limit"] = limit;
    out["offset"] = offset;
  }
};

Json json(const Node& node) {
  Json out = {{"node", name(node.payload)}};
  std::visit(Writer{out}, node.payload);
  if (node.estimated_rows >= 0) out["estimated_rows"] = node.estimated_rows;
  for (const Field& field : node.schema)
    out["schema"].push_back({{"name", field.name}, {"type", field.type.name()}});
  for (const NodePtr& child : node.children) out["children"].push_back(json(*child));
  return out;
}

}  // namespace

std::string to_json(const Node& node) {
  return json(node).dump(2, ' ', false,
                         Json::error_handler_t::replace);  // names and literals may be invalid UTF-8
}

}  // namespace lanewise::plan
