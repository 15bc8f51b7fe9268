#pragma once

#include <functional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "plan/node.h"
#include "sql/duckdb/duckdb_headers.h"
#include "sql/scan/source.h"

namespace lanewise::sql {

/// For DuckDB's columns that have no content here.
inline constexpr size_t kNoColumn = SIZE_MAX;

/// Rows under translation: column i of DuckDB's operator is column columns[i] of `node`. Columns that DuckDB
/// drops stay in the node until a copy would be needed.
struct Rows {
  plan::NodePtr node;
  std::vector<size_t> columns;
  /// DuckDB's columns that are sort keys made of several values (create_sort_key); we have no columns for
  /// them.
  std::unordered_map<size_t, std::vector<plan::SortKey>> sort_keys;
};

/// Translates DuckDB's bound, optimised and resolved plan (see Connection::ExtractPlan). Functions, casts and
/// aggregates that the engine lacks become calls of DuckDB. Anything else that is unknown is an
/// UnsupportedError that names it; nothing is ignored.
class Translator {
 public:
  Translator(duckdb::ClientContext& context, const Generation& generation, std::string statement)
      : context_(context), generation_(generation), statement_(std::move(statement)) {}

  /// The whole plan; its columns are those of `root`. Takes ownership of the bind data of its scans.
  plan::NodePtr plan(duckdb::LogicalOperator& root) { return exact(rows(root)); }
  bool reads_json() const { return reads_json_; }
  /// Whether the plan holds constants that take more memory than most plans.
  bool has_large_constants() const { return has_large_constants_; }
  /// The names of functions and casts that DuckDB computes.
  const std::set<std::string>& computed_by_duckdb() const { return computed_by_duckdb_; }

 private:
  // translate.cc
  Rows rows(duckdb::LogicalOperator& op);
  Rows untouched(duckdb::LogicalOperator& op);
  Rows filter(duckdb::LogicalFilter& op);
  Rows projection(duckdb::LogicalProjection& op);
  Rows unnest(duckdb::LogicalUnnest& op);
  Rows order(duckdb::LogicalOrder& op);
  Rows top_n(duckdb::LogicalTopN& op);
  Rows set_operation(duckdb::LogicalSetOperation& op);
  /// The columns, which have these types, in the form that their collations compare.
  std::vector<ExprPtr> collated(const Rows& input, const duckdb::vector<duckdb::LogicalType>& types);
  /// The rows with one more column: the row's number, starting at 1, among rows with the same values of
  /// `among`.
  static Rows numbered(const Rows& input, std::vector<ExprPtr> among = {});
  Rows cte(duckdb::LogicalMaterializedCTE& op);
  Rows recursion(duckdb::LogicalRecursiveCTE& op);
  Rows cte_ref(duckdb::LogicalCTERef& op);
  std::vector<plan::SortKey> sort_keys(const duckdb::vector<duckdb::BoundOrderByNode>& orders,
                                       const Rows& input);
  /// `input` with one more predicate, inside the scan if it is one.
  Rows filtered(Rows input, ExprPtr predicate);
  /// The node whose columns are exactly `input`'s.
  plan::NodePtr exact(Rows input);

  // translate_limit.cc
  Rows limit(duckdb::LogicalLimit& op);
  Rows computed_limit(duckdb::LogicalLimit& op, const Rows& input);
  Rows sample(duckdb::LogicalSample& op);

  // translate_scan.cc
  Rows get(duckdb::LogicalGet& op);
  ExprPtr series(const duckdb::LogicalGet& op, const Rows& input);
  ExprPtr elements(const duckdb::LogicalGet& op, const Rows& input);
  ExprPtr structs(duckdb::LogicalGet& op, const duckdb::vector<duckdb::column_t>& columns, const Rows& input);
  Rows rows_over_rows(duckdb::LogicalGet& op);
  void check(const duckdb::LogicalGet& op);
  void add_predicates(const duckdb::TableFilter& filter, const duckdb::Expression& column, const Rows& input,
                      std::vector<ExprPtr>& predicates);
  Rows expression_get(duckdb::LogicalExpressionGet& op);
  Rows values_over_rows(duckdb::LogicalExpressionGet& op);
  Rows column_data(duckdb::LogicalColumnDataGet& op);
  Rows dummy();
  Rows empty(duckdb::LogicalEmptyResult& op);

  // translate_grouping.cc
  Rows aggregate(duckdb::LogicalAggregate& op);
  Rows grouping_set(duckdb::LogicalAggregate& op, const duckdb::GroupingSet& set, const Rows& input);
  /// The union of all grouping sets, aggregated from each other; null: an aggregate needs the rows
  /// themselves.
  plan::NodePtr sets_from_parts(duckdb::LogicalAggregate& op, const Rows& input);
  /// The set's keys, which are the first columns of `node`, NULL for the groups that it omits, the results,
  /// GROUPING().
  static plan::NodePtr with_all_groups(const duckdb::LogicalAggregate& op, const duckdb::GroupingSet& set,
                                       const plan::NodePtr& node, std::vector<ExprPtr> results);

  // translate_aggregate.cc
  ExprPtr argument(const duckdb::Expression& arg, Type untyped, const Rows& input);
  plan::AggregateCall call(const duckdb::BoundAggregateExpression& expr, const Rows& input);
  plan::AggregateCall call_without_arguments(const duckdb::BoundAggregateExpression& expr, const Rows& input);
  /// A call of DuckDB's aggregate over arguments that the engine computes.
  plan::AggregateCall by_duckdb(const duckdb::BoundAggregateExpression& expr, const Rows& input);
  /// The translation of a DuckDB aggregate: calls, and the combination of their results; null: the result
  /// of the only call.
  struct Calls {
    std::vector<plan::AggregateCall> calls;
    std::function<ExprPtr(std::vector<ExprPtr>)> whole;
  };
  Calls calls(const duckdb::BoundAggregateExpression& expr, const Rows& input);
  std::vector<Calls> all_calls(const duckdb::LogicalAggregate& op, const Rows& input);
  Calls quantiles(const duckdb::BoundAggregateExpression& expr, const Rows& input);
  Calls ordered_by_duckdb(const duckdb::BoundAggregateExpression& expr, const Rows& input);
  /// The keys inside create_sort_key(a, 'ASC NULLS LAST', b, ...), or nothing if `expr` is something else.
  std::vector<plan::SortKey> made_sort_key(const duckdb::Expression& expr, const Rows& input);
  Rows distinct(duckdb::LogicalDistinct& op);

  // translate_window.cc
  Rows window(duckdb::LogicalWindow& op);
  plan::WindowCall window_call(const duckdb::BoundWindowExpression& expr, const Rows& input);
  plan::AggregateCall window_aggregate(const duckdb::BoundWindowExpression& expr, const Rows& input);
  plan::Frame frame(const duckdb::BoundWindowExpression& expr, const Rows& input);

  // translate_join.cc Whether the operator always returns exactly one row.
  bool gives_one_row(const duckdb::LogicalOperator& op);
  /// Whether the operator returns at most one row.
  bool gives_row_or_none(const duckdb::LogicalOperator& op);
  Rows cross_product(duckdb::LogicalCrossProduct& op);
  Rows comparison_join(duckdb::LogicalComparisonJoin& op);
  Rows comparison_join(const duckdb::LogicalComparisonJoin& op, const Rows& left, const Rows& right);
  Rows positional_join(duckdb::LogicalPositionalJoin& op);
  Rows join_with_row(duckdb::LogicalComparisonJoin& op);
  Rows delim_join(duckdb::LogicalComparisonJoin& op);
  Rows delim_get(const duckdb::LogicalDelimGet& op);
  /// The join with the kind and output of `op`.
  Rows joined(const duckdb::LogicalJoin& op, const Rows& left, const Rows& right, plan::Join join);
  /// The join, whose columns may be kNoColumn.
  static Rows pairs(const Rows& left, const Rows& right, plan::Join join);
  Rows any_join(duckdb::LogicalAnyJoin& op);
  struct Compared {
    duckdb::ExpressionType comparison;
    ExprPtr left, right;  // over the columns of their sides
  };
  std::optional<Compared> sides(const duckdb::Expression& part, const Rows& both, size_t split);
  Rows scalar_join(duckdb::LogicalOperator& op);

  // translate_expression.cc
  ExprPtr expression(const duckdb::Expression& expr, const Rows& input);
  std::vector<ExprPtr> expressions(const duckdb::vector<duckdb::unique_ptr<duckdb::Expression>>& exprs,
                                   const Rows& input);
  ExprPtr constant_of(Value value);
  ExprPtr compare(duckdb::ExpressionType type, const duckdb::Expression& left,
                  const duckdb::Expression& right, const Rows& left_input, const Rows& right_input);
  ExprPtr operation(const duckdb::BoundOperatorExpression& expr, const Rows& input);
  ExprPtr split_part(const duckdb::BoundOperatorExpression& expr, const Rows& input);
  ExprPtr split_extract(std::string_view name, const duckdb::BoundFunctionExpression& expr,
                        const Rows& input);
  ExprPtr lambda(const duckdb::BoundFunctionExpression& expr, const Rows& input);
  ExprPtr struct_update(const duckdb::BoundFunctionExpression& expr, const Rows& input);
  ExprPtr list_aggregate(const duckdb::BoundFunctionExpression& expr, const Rows& input);
  ExprPtr field(const duckdb::BoundFunctionExpression& expr, const Rows& input);
  ExprPtr function(const duckdb::BoundFunctionExpression& expr, const Rows& input);
  ExprPtr set_seed(const Expr& seed);
  ExprPtr cast(const duckdb::BoundCastExpression& expr, const Rows& input);
  /// Whether a setting of DuckDB has this value.
  bool is_set(const char* setting, std::string_view value) const;

  // translate_by_duckdb.cc
  /// A call of DuckDB for the expression, with arguments that the engine computes if it supports their
  /// types.
  ExprPtr by_duckdb(const duckdb::Expression& expr, const Rows& input);
  /// The same for arguments that are already translated.
  ExprPtr by_duckdb(const duckdb::BoundFunctionExpression& expr, std::vector<ExprPtr> values);
  struct DuckdbArguments {
    duckdb::vector<duckdb::LogicalType> types;
    std::vector<ExprPtr> values;
  };
  ExprPtr by_duckdb(duckdb::unique_ptr<duckdb::Expression> expr, DuckdbArguments arguments);
  /// Adds an argument and returns the expression that refers to it.
  duckdb::unique_ptr<duckdb::Expression> reference(ExprPtr value, const duckdb::LogicalType& type,
                                                   DuckdbArguments& arguments);
  /// Replaces subexpressions of `expr` by references to arguments; only columns if `lazy`.
  void refer_to_arguments(duckdb::Expression& expr, bool lazy, const Rows& input, DuckdbArguments& arguments);
  /// Whether DuckDB computes it, of arguments that the engine computes: their types are not supported, or
  /// VARIANTs are compared.
  static bool is_left_to_duckdb(const duckdb::Expression& expr);
  /// A value that is ordered here like `expr` in SQL.
  ExprPtr ordered(const duckdb::Expression& expr, const Rows& input);

  duckdb::ClientContext& context_;
  const Generation generation_;
  const std::string statement_;  // its text
  std::unordered_map<uint64_t, Schema> ctes_;
  std::unordered_map<uint64_t, uint64_t> recurring_;  // Recursion::all_id of recursions under translation
  std::unordered_set<uint64_t> ctes_of_one_row_;
  bool reads_json_ = false;
  bool has_large_constants_ = false;
  std::set<std::string> computed_by_duckdb_;

  /// Values on which a subquery depends, by the Cte that holds them.
  struct DelimValues {
    uint64_t id;
    Schema schema;
  };
  std::vector<DelimValues> delim_values_;  // of the joins under translation, innermost last
  uint64_t next_id_ = 1'000'000;           // for Ctes that DuckDB's plan, with small numbers, does not have
};

/// The columns that a projection map keeps; an empty map keeps all.
std::vector<size_t> mapped(const std::vector<size_t>& columns, const duckdb::vector<duckdb::idx_t>& map);

/// All columns of a node, in order.
Rows all_of(plan::NodePtr node);

/// The expression as bytes that are equal if its values are: nested values contain floats or intervals, of
/// which different ones can be equal.
ExprPtr comparable(ExprPtr expr);

/// The same for any type: numbers and intervals, too, as they become parts of a nested value.
ExprPtr normalized(ExprPtr expr);

}  // namespace lanewise::sql
