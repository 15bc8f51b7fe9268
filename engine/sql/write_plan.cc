#include "sql/write_plan.h"

#include <utility>

#include "base/error.h"
#include "sql/duckdb/errors.h"

namespace lanewise::sql {

namespace {

using duckdb::LogicalOperatorType;
using Operator = duckdb::unique_ptr<duckdb::LogicalOperator>;

bool writes(const duckdb::LogicalOperator& op) {
  return op.type == LogicalOperatorType::LOGICAL_UPDATE || op.type == LogicalOperatorType::LOGICAL_DELETE ||
         op.type == LogicalOperatorType::LOGICAL_MERGE_INTO || op.type == LogicalOperatorType::LOGICAL_INSERT;
}

/// DuckDB 1.5.6 reads memory that nothing has written for the other columns of these rows.
void check_returned(const duckdb::LogicalMergeInto& merge) {
  const auto found = merge.actions.find(duckdb::MergeActionCondition::WHEN_NOT_MATCHED_BY_SOURCE);
  if (!merge.return_chunk || found == merge.actions.end()) return;
  for (const auto& action : found->second) {
    if (action->action_type == duckdb::MergeActionType::MERGE_UPDATE &&
        action->columns.size() < merge.table.GetColumns().PhysicalColumnCount())
      throw UserError(
          "MERGE with RETURNING: an UPDATE under WHEN NOT MATCHED BY SOURCE must set all columns of the "
          "table");
  }
}

/// A cast to a type as SQL would write it. NULL has a type that a cast cannot name.
duckdb::unique_ptr<duckdb::ParsedExpression> cast_to(const duckdb::LogicalType& type,
                                                     duckdb::unique_ptr<duckdb::ParsedExpression> column) {
  if (type.id() == duckdb::LogicalTypeId::SQLNULL)
    return duckdb::make_uniq<duckdb::ConstantExpression>(duckdb::Value());
  auto cast = duckdb::make_uniq<duckdb::CastExpression>(type, std::move(column));
  if (type.id() != duckdb::LogicalTypeId::VARCHAR || duckdb::StringType::GetCollation(type).empty())
    return cast;
  return duckdb::make_uniq<duckdb::CollateExpression>(duckdb::StringType::GetCollation(type),
                                                      std::move(cast));
}

}  // namespace

WritePlan write_plan(Operator plan) {
  WritePlan result;
  result.changes = std::move(plan);
  Operator* at = &result.changes;
  std::vector<Operator> ctes;
  while (!writes(**at)) {
    if ((*at)->type == LogicalOperatorType::LOGICAL_MATERIALIZED_CTE) {
      Operator body = std::move((*at)->children[1]);
      ctes.push_back(std::exchange(*at, std::move(body)));
    } else if ((*at)->type == LogicalOperatorType::LOGICAL_PROJECTION) {  // of RETURNING
      at = &(*at)->children[0];
    } else {
      unsupported("a statement that writes below " + duckdb::LogicalOperatorToString((*at)->type) +
                  " is not");
    }
  }
  if ((*at)->type == LogicalOperatorType::LOGICAL_MERGE_INTO)
    check_returned((*at)->Cast<duckdb::LogicalMergeInto>());
  result.query = &(*at)->children.at(0);
  while (!ctes.empty()) {
    Operator cte = std::move(ctes.back());
    ctes.pop_back();
    cte->children[1] = std::move(*result.query);
    *result.query = std::move(cte);
  }
  result.changes->ResolveOperatorTypes();
  result.types.assign((*result.query)->types.begin(), (*result.query)->types.end());
  return result;
}

Operator rows_in_plan(duckdb::ClientContext& context, std::shared_ptr<ExposedRows> exposed,
                      const std::vector<duckdb::LogicalType>& types) {
  Operator rows = exposed_rows(context, std::move(exposed));
  rows->ResolveOperatorTypes();
  duckdb::vector<duckdb::unique_ptr<duckdb::Expression>> columns;
  for (size_t i = 0; i < types.size(); ++i) {
    duckdb::unique_ptr<duckdb::Expression> column;
    if (types[i].id() == duckdb::LogicalTypeId::SQLNULL) {
      column = duckdb::make_uniq<duckdb::BoundConstantExpression>(duckdb::Value());
    } else {
      column = duckdb::make_uniq<duckdb::BoundReferenceExpression>(rows->types.at(i), i);
      column = duckdb::BoundCastExpression::AddCastToType(context, std::move(column), types[i]);
    }
    columns.push_back(std::move(column));
  }
  auto projection = duckdb::make_uniq<duckdb::LogicalProjection>(1, std::move(columns));
  projection->children.push_back(std::move(rows));
  return projection;
}

duckdb::unique_ptr<duckdb::SelectStatement> typed(duckdb::unique_ptr<duckdb::SQLStatement> rows,
                                                  const std::vector<duckdb::LogicalType>& types,
                                                  const std::vector<std::string>& names) {
  auto select = duckdb::unique_ptr_cast<duckdb::SQLStatement, duckdb::SelectStatement>(std::move(rows));
  auto& columns = select->node->Cast<duckdb::SelectNode>().select_list;
  for (size_t i = 0; i < types.size(); ++i) {
    columns.at(i) = cast_to(types[i], std::move(columns[i]));
    columns[i]->SetAlias(names[i]);
  }
  return select;
}

}  // namespace lanewise::sql
