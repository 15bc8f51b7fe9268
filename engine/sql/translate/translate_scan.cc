#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "expr/evaluation/evaluate.h"
#include "expr/function.h"
#include "expr/functions/build.h"
#include "sql/duckdb/errors.h"
#include "sql/functions/duckdb_rows.h"
#include "sql/scan/gather.h"
#include "sql/scan/scan.h"
#include "sql/translate/translate.h"
#include "sql/values/types.h"

namespace lanewise::sql {

namespace {

/// The constant of `column op constant`, a text; null for other expressions.
const std::string* compared_with(const Expr& expr, std::string_view op) {
  if (expr.kind != Expr::Kind::kCall || expr.function->name != op || expr.args.size() != 2) return nullptr;
  const Expr& constant = *expr.args[1];
  const bool text = constant.kind == Expr::Kind::kLiteral && constant.type.id == TypeId::kVarchar;
  return text && !constant.literal.is_null() ? &constant.literal.text() : nullptr;
}

/// DuckDB writes a prefix as a range, x >= 'abc' AND x < 'abd': among the predicates from `first` on,
/// which are over one column, these two become prefix(x, 'abc'), one test instead of two.
void unite_prefix(std::vector<ExprPtr>& predicates, size_t first) {
  if (predicates.size() != first + 2) return;
  const std::string* low = compared_with(*predicates[first], ">=");
  const std::string* high = compared_with(*predicates[first + 1], "<");
  if (low == nullptr || high == nullptr || low->empty() || low->size() != high->size()) return;
  std::string next = *low;
  if (next.back() == '\xff') return;
  ++next.back();
  if (next != *high) return;
  predicates[first] = call("prefix", predicates[first]->args);
  predicates.pop_back();
}

bool is_series(std::string_view function) { return function == "range" || function == "generate_series"; }

/// A table of one batch.
std::shared_ptr<const Table> table_of(Schema schema, std::vector<ColumnPtr> columns, int64_t rows) {
  auto table = std::make_shared<Table>();
  table->schema = std::move(schema);
  if (rows != 0) table->batches.push_back({rows, std::move(columns)});
  return table;
}

Rows values(Schema schema, std::vector<ColumnPtr> columns, int64_t rows) {
  std::vector<size_t> all(schema.size());
  std::iota(all.begin(), all.end(), 0);
  return {plan::values(table_of(std::move(schema), std::move(columns), rows)), std::move(all), {}};
}

}  // namespace

/// Raises if the scan contains something that would otherwise be ignored silently.
void Translator::check(const duckdb::LogicalGet& op) {
  const std::string& name = op.function.name;
  const bool takes_rows = !op.children.empty() || !op.projected_input.empty();
  if (takes_rows ? !op.function.in_out_function || op.function.in_out_function_final
                 : !op.function.function && !op.function.in_out_function) {
    unsupported(fmt::format("the table function {} is not", name));
  }
  if (op.extra_info.sample_options) unsupported("TABLESAMPLE is not");
  if (op.ordinality_idx.IsValid()) unsupported("WITH ORDINALITY is not");
  if (op.row_group_order_options)
    unsupported("reading row groups in another order (row_group_pruner) is not");
}

/// The list that the scalar function of this name gives. In FROM, a step of zero is an error.
ExprPtr Translator::series(const duckdb::LogicalGet& op, const Rows& input) {
  duckdb::vector<duckdb::unique_ptr<duckdb::Expression>> args;
  const std::vector<duckdb::LogicalType>& types = op.children[0]->types;
  for (size_t i = 0; i + op.projected_input.size() < types.size(); ++i) {
    if (types[i].id() == duckdb::LogicalTypeId::SQLNULL) {
      args.push_back(duckdb::make_uniq<duckdb::BoundConstantExpression>(duckdb::Value()));
    } else {
      args.push_back(duckdb::make_uniq<duckdb::BoundReferenceExpression>(types[i], i));
    }
  }
  duckdb::ErrorData error;
  const auto bound = duckdb::FunctionBinder(context_).BindScalarFunction(DEFAULT_SCHEMA, op.function.name,
                                                                         std::move(args), error);
  if (bound == nullptr) error.Throw();
  ExprPtr list = expression(*bound, input);
  if (bound->GetExpressionClass() == duckdb::ExpressionClass::BOUND_CONSTANT) return list;  // of a NULL: NULL
  const auto& given = bound->Cast<duckdb::BoundFunctionExpression>().children;
  if (given.size() < 3) return list;
  const ExprPtr step = expression(*given[2], input);
  const Value zero = step->type.id == TypeId::kInterval ? Value(step->type, Interval{}) : Value::int64(0);
  ExprPtr raise = lanewise::call("error", {literal(Value::varchar("interval cannot be 0!"))});
  std::vector<ExprPtr> wrong = {lanewise::call("=", {step, literal(zero)})};
  for (const size_t bound_of : {0, 1})  // of a NULL there are no rows
    wrong.push_back(lanewise::call("IS NOT NULL", {expression(*given[bound_of], input)}));
  return case_when(
      {conjunction(std::move(wrong)), lanewise::cast(std::move(raise), list->type), std::move(list)});
}

/// The list whose elements a table function gives for each of the rows; null: its rows have several columns.
ExprPtr Translator::elements(const duckdb::LogicalGet& op, const Rows& input) {
  if (op.function.name == "unnest")
    return column(input.columns[0], input.node->schema[input.columns[0]].type);
  return is_series(op.function.name) ? series(op, input) : nullptr;
}

/// What a table function gives for each of the rows: a list of structs of these columns.
ExprPtr Translator::structs(duckdb::LogicalGet& op, const duckdb::vector<duckdb::column_t>& columns,
                            const Rows& input) {
  check(op);
  duckdb::vector<duckdb::LogicalType> types = op.children[0]->types;
  types.resize(types.size() - op.projected_input.size());
  std::vector<ExprPtr> args;
  for (size_t i = 0; i < types.size(); ++i)
    args.push_back(column(input.columns[i], input.node->schema[input.columns[i]].type));
  computed_by_duckdb_.insert(op.function.name);
  return rows_of_duckdb(context_, op, columns, types, std::move(args));
}

/// A table function in FROM over other rows' values: its columns, then those that are passed through.
Rows Translator::rows_over_rows(duckdb::LogicalGet& op) {
  duckdb::ColumnBindingResolver().VisitOperator(
      *op.children[0]);  // DuckDB does so when it makes a physical plan
  const Rows input = rows(*op.children[0]);
  const auto ids = op.GetColumnIds();
  const auto is_ordinality = [&](const duckdb::ColumnIndex& id) {
    return op.ordinality_idx.IsValid() && op.ordinality_idx.GetIndex() == id.GetPrimaryIndex();
  };
  duckdb::vector<duckdb::column_t> columns;  // those with content
  for (const duckdb::ColumnIndex& id : ids)
    if (!is_ordinality(id) && source_column(op, id.GetPrimaryIndex()))
      columns.push_back(id.GetPrimaryIndex());
  ExprPtr list = elements(op, input);
  const bool is_list = list != nullptr;
  if (!is_list && (columns.empty() || !op.function.projection_pushdown)) {
    columns.resize(op.function.projection_pushdown ? 1 : op.returned_types.size());
    std::iota(columns.begin(), columns.end(), 0);
  }
  if (!is_list) list = structs(op, columns, input);
  std::vector<ExprPtr> lists = {list};
  std::vector<std::string> names = {op.function.name};
  if (op.ordinality_idx.IsValid()) {
    ExprPtr end = lanewise::call("+", {lanewise::call("len", {list}), literal(Value::int64(1))});
    lists.push_back(lanewise::call("range", {literal(Value::int64(1)), std::move(end)}));
    names.push_back("ordinality");
  }
  const plan::NodePtr unnested = plan::unnest(input.node, lists, names);
  const size_t first = input.node->schema.size();
  std::vector<ExprPtr> exprs;
  std::vector<std::string> kept;
  std::vector<size_t> given;
  const auto add = [&](ExprPtr expr, std::string name) {
    given.push_back(exprs.size());
    exprs.push_back(std::move(expr));
    kept.push_back(std::move(name));
  };
  const auto held = [&](size_t at) { return column(at, unnested->schema[at].type); };
  for (const duckdb::ColumnIndex& id : ids) {
    const auto found = std::ranges::find(columns, id.GetPrimaryIndex());
    if (is_ordinality(id)) {
      add(held(first + 1), names[1]);
    } else if (found == columns.end()) {
      given.push_back(kNoColumn);
    } else if (is_list) {
      add(held(first), names[0]);
    } else {
      const ExprPtr number = literal(Value::int64(found - columns.begin() + 1));
      add(lanewise::call("struct_extract_at", {held(first), number}), op.GetColumnName(id));
    }
  }
  Rows result{nullptr, mapped(given, op.projection_ids), {}};
  for (const duckdb::idx_t i : op.projected_input) {
    add(held(input.columns.at(i)), input.node->schema[input.columns.at(i)].name);
    result.columns.push_back(given.back());
  }
  if (!is_list) {
    result.node = plan::project(unnested, std::move(exprs), std::move(kept));
    return result;
  }
  result.node = unnested;  // which has these columns
  for (size_t& column : result.columns)
    if (column != kNoColumn) column = exprs[column]->column;
  return result;
}

Rows Translator::get(duckdb::LogicalGet& op) {
  if (op.children.size() == 1) return rows_over_rows(op);
  check(op);
  std::vector<size_t> columns;    // of the source
  std::vector<size_t> positions;  // of op's column ids within `columns`
  for (const duckdb::ColumnIndex& id : op.GetColumnIds()) {
    const std::string& name = op.GetColumnName(id);
    if (id.IsPushdownExtract())
      unsupported(fmt::format("reading a part of the nested column {} is not", name));
    const auto source = source_column(op, id.GetPrimaryIndex());
    if (!source) {
      positions.push_back(kNoColumn);  // nothing refers to it
      continue;
    }
    type_of(op.GetColumnType(id), fmt::format("the column {}", name));
    positions.push_back(columns.size());
    columns.push_back(*source);
  }

  reads_json_ |= ScannedFunction::is_json(op.function);
  const auto ids = op.GetColumnIds();
  auto filters = std::move(op.table_filters.filters);
  const auto source = make_source(context_, op, generation_);
  const Rows all{plan::scan(source, columns), positions, {}};
  std::vector<ExprPtr> predicates;
  for (const auto& [id, filter] : filters) {
    const size_t first = predicates.size();
    size_t i = 0;
    while (i < ids.size() && ids[i].GetPrimaryIndex() != id) ++i;
    invariant(i < ids.size(), "filters of a scan are over its columns");
    const duckdb::BoundReferenceExpression column(op.GetColumnType(ids[i]), i);
    add_predicates(*filter, column, all, predicates);
    unite_prefix(predicates, first);
  }
  Rows result{plan::scan(source, columns, std::move(predicates)), {}, {}};
  if (op.projection_ids.empty()) {
    result.columns = positions;
  } else {
    for (duckdb::idx_t i : op.projection_ids) result.columns.push_back(positions.at(i));
  }
  return result;
}

/// Optional filters only help to skip; the conditions that imply them are evaluated elsewhere.
void Translator::add_predicates(const duckdb::TableFilter& filter, const duckdb::Expression& column,
                                const Rows& input, std::vector<ExprPtr>& predicates) {
  switch (filter.filter_type) {
    case duckdb::TableFilterType::OPTIONAL_FILTER:
      return;
    case duckdb::TableFilterType::CONJUNCTION_AND:
      for (const auto& child : filter.Cast<duckdb::ConjunctionAndFilter>().child_filters) {
        add_predicates(*child, column, input, predicates);
      }
      return;
    case duckdb::TableFilterType::CONSTANT_COMPARISON:
    case duckdb::TableFilterType::IS_NULL:
    case duckdb::TableFilterType::IS_NOT_NULL:
    case duckdb::TableFilterType::CONJUNCTION_OR:
    case duckdb::TableFilterType::IN_FILTER:
    case duckdb::TableFilterType::EXPRESSION_FILTER:
    case duckdb::TableFilterType::STRUCT_EXTRACT:
      predicates.push_back(expression(*filter.ToExpression(column), input));
      return;
    default:
      unsupported(fmt::format("the filter {} is not", filter.ToString(column.ToString())));
  }
}

/// VALUES whose rows read others: the results of subqueries. Each row of VALUES becomes a branch that reads
/// them.
Rows Translator::values_over_rows(duckdb::LogicalExpressionGet& op) {
  const plan::NodePtr input = exact(rows(*op.children[0]));
  std::vector<std::string> names;
  for (size_t i = 0; i < op.expr_types.size(); ++i) names.push_back(fmt::format("col{}", i));
  const bool several = op.expressions.size() > 1;
  const Rows read = all_of(several ? plan::cte_ref(op.table_index, input->schema) : input);
  std::vector<plan::NodePtr> branches;
  for (const auto& row : op.expressions)
    branches.push_back(plan::project(read.node, expressions(row, read), names));
  if (!several) return all_of(branches[0]);
  return all_of(plan::cte(op.table_index, input, plan::union_all(std::move(branches))));
}

Rows Translator::expression_get(duckdb::LogicalExpressionGet& op) {
  if (op.children[0]->type != duckdb::LogicalOperatorType::LOGICAL_DUMMY_SCAN) return values_over_rows(op);
  Schema schema;
  std::vector<ColumnBuilder> builders;
  for (size_t i = 0; i < op.expr_types.size(); ++i) {
    const std::string name = fmt::format("col{}", i);
    schema.push_back({name, type_of(op.expr_types[i], "the column " + name)});
    builders.emplace_back(schema.back().type);
  }
  const Rows nothing = dummy();
  for (const auto& row : op.expressions) {
    for (size_t i = 0; i < builders.size(); ++i) {
      builders[i].append(evaluate_reference(*expression(*row[i], nothing), {}));
    }
  }
  std::vector<ColumnPtr> columns;
  for (ColumnBuilder& builder : builders) columns.push_back(builder.finish());
  return values(std::move(schema), std::move(columns), static_cast<int64_t>(op.expressions.size()));
}

Rows Translator::column_data(duckdb::LogicalColumnDataGet& op) {
  const auto rows = static_cast<int64_t>(op.collection->Count());
  Schema schema;
  std::vector<ColumnGather> gathers;
  for (size_t i = 0; i < op.chunk_types.size(); ++i) {
    const std::string name = fmt::format("col{}", i);
    schema.push_back({name, type_of(op.chunk_types[i], "the column " + name)});
    gathers.emplace_back(op.chunk_types[i], schema.back().type, rows, nullptr);
  }
  for (auto& chunk : op.collection->Chunks()) {
    for (size_t i = 0; i < gathers.size(); ++i)
      gathers[i].append(chunk.data[i], static_cast<int64_t>(chunk.size()));
  }
  std::vector<ColumnPtr> columns;
  for (ColumnGather& gather : gathers) columns.push_back(gather.finish());
  return values(std::move(schema), std::move(columns), rows);
}

/// One row; its only column exists because DuckDB's has one.
Rows Translator::dummy() {
  return values({{"dummy", TypeId::kInt32}}, {make_column(TypeId::kInt32, {Value::int32(0)})}, 1);
}

Rows Translator::empty(duckdb::LogicalEmptyResult& op) {
  Schema schema;
  for (size_t i = 0; i < op.return_types.size(); ++i) {
    const std::string name = fmt::format("col{}", i);
    schema.push_back({name, type_of(op.return_types[i], "the column " + name)});
  }
  return values(std::move(schema), {}, 0);
}

}  // namespace lanewise::sql
