#include "sql/statement.h"

#include <algorithm>

#include "duckdb/parser/statement/pragma_statement.hpp"
#include "duckdb/parser/statement/prepare_statement.hpp"

#include "base/error.h"

namespace lanewise::sql {

using duckdb::StatementType;

namespace {

const duckdb::CreateTableInfo* created_table(const duckdb::SQLStatement& statement) {
  const auto& info = *statement.Cast<duckdb::CreateStatement>().info;
  return info.type == duckdb::CatalogType::TABLE_ENTRY ? &info.Cast<duckdb::CreateTableInfo>() : nullptr;
}

duckdb::unique_ptr<duckdb::SelectStatement> copy_of(const duckdb::QueryNode& node) {
  auto select = duckdb::make_uniq<duckdb::SelectStatement>();
  select->node = node.Copy();
  return select;
}

bool has_subquery(const duckdb::ParsedExpression& expr) {
  bool found = expr.GetExpressionClass() == duckdb::ExpressionClass::SUBQUERY;
  duckdb::ParsedExpressionIterator::EnumerateChildren(
      expr, [&](const duckdb::ParsedExpression& child) { found = found || has_subquery(child); });
  return found;
}

bool has_subquery(const duckdb::unique_ptr<duckdb::ParsedExpression>& expr) {
  return expr && has_subquery(*expr);
}

bool have_subquery(const duckdb::vector<duckdb::unique_ptr<duckdb::ParsedExpression>>& exprs) {
  return std::ranges::any_of(exprs, [](const auto& expr) { return has_subquery(expr); });
}

bool finds_rows(const duckdb::UpdateStatement& update) {
  const duckdb::UpdateSetInfo& set = *update.set_info;
  return update.from_table || has_subquery(set.condition) || have_subquery(set.expressions);
}

bool finds_rows(const duckdb::InsertStatement& insert) {
  const auto values = insert.select_statement ? insert.GetValuesList() : nullptr;
  return values && std::ranges::any_of(values->values, [](const auto& row) { return have_subquery(row); });
}

}  // namespace

bool finds_rows(const duckdb::SQLStatement& statement) {
  switch (statement.type) {
    case StatementType::UPDATE_STATEMENT:
      return finds_rows(statement.Cast<duckdb::UpdateStatement>());
    case StatementType::DELETE_STATEMENT: {
      const auto& deletes = statement.Cast<duckdb::DeleteStatement>();
      return !deletes.using_clauses.empty() || has_subquery(deletes.condition);
    }
    case StatementType::INSERT_STATEMENT:
      return finds_rows(statement.Cast<duckdb::InsertStatement>());
    case StatementType::MERGE_INTO_STATEMENT:
      return true;
    default:
      return false;
  }
}

const duckdb::SQLStatement& last_part(const duckdb::SQLStatement& statement) {
  return statement.type == StatementType::MULTI_STATEMENT
             ? *statement.Cast<duckdb::MultiStatement>().statements.back()
             : statement;
}

duckdb::unique_ptr<duckdb::SelectStatement> query_inside(const duckdb::SQLStatement& statement) {
  switch (statement.type) {
    case StatementType::COPY_STATEMENT: {
      const duckdb::CopyInfo& info = *statement.Cast<duckdb::CopyStatement>().info;
      if (info.is_from || !info.select_statement) return nullptr;
      return copy_of(*info.select_statement);
    }
    case StatementType::CREATE_STATEMENT: {
      const duckdb::CreateTableInfo* info = created_table(statement);
      if (info == nullptr || !info->query) return nullptr;
      return copy_of(*info->query->node);
    }
    case StatementType::INSERT_STATEMENT: {
      const auto& insert = statement.Cast<duckdb::InsertStatement>();
      if (!insert.select_statement || insert.GetValuesList()) return nullptr;
      auto select = copy_of(*insert.select_statement->node);
      for (const auto& [name, table] : insert.cte_map.map) {
        if (!select->node->cte_map.map.contains(name)) select->node->cte_map.map.insert(name, table->Copy());
      }
      return select;
    }
    default:
      return nullptr;
  }
}

duckdb::unique_ptr<duckdb::SQLStatement> with_rows(const duckdb::SQLStatement& statement,
                                                   duckdb::unique_ptr<duckdb::SelectStatement> rows) {
  auto result = statement.Copy();
  switch (statement.type) {
    case StatementType::COPY_STATEMENT:
      result->Cast<duckdb::CopyStatement>().info->select_statement = std::move(rows->node);
      break;
    case StatementType::CREATE_STATEMENT:
      result->Cast<duckdb::CreateStatement>().info->Cast<duckdb::CreateTableInfo>().query = std::move(rows);
      break;
    case StatementType::INSERT_STATEMENT: {
      auto& insert = result->Cast<duckdb::InsertStatement>();
      insert.select_statement = std::move(rows);
      insert.cte_map.map.clear();
      break;
    }
    default:
      throw InternalError("the statement has no query inside");
  }
  return result;
}

bool may_change(const duckdb::SQLStatement& statement) {
  switch (statement.type) {
    case StatementType::SELECT_STATEMENT:
    case StatementType::SET_STATEMENT:  // of a variable, whose value may be that of a query
      return duckdb::StringUtil::Contains(duckdb::StringUtil::Lower(statement.ToString()), "nextval");
    case StatementType::EXPLAIN_STATEMENT: {
      const auto& explained = statement.Cast<duckdb::ExplainStatement>();
      return explained.explain_type == duckdb::ExplainType::EXPLAIN_ANALYZE && may_change(*explained.stmt);
    }
    case StatementType::PRAGMA_STATEMENT:  // IMPORT DATABASE is one
      return statement.Cast<duckdb::PragmaStatement>().info->name == "import_database";
    case StatementType::VARIABLE_SET_STATEMENT:
    case StatementType::LOAD_STATEMENT:
    case StatementType::ATTACH_STATEMENT:
    case StatementType::DETACH_STATEMENT:
    case StatementType::TRANSACTION_STATEMENT:
    case StatementType::EXECUTE_STATEMENT:
    case StatementType::EXPORT_STATEMENT:
    case StatementType::RELATION_STATEMENT:
      return false;
    case StatementType::PREPARE_STATEMENT:
      return may_change(*statement.Cast<duckdb::PrepareStatement>().statement);
    case StatementType::COPY_STATEMENT:
      return statement.Cast<duckdb::CopyStatement>().info->is_from;
    case StatementType::CREATE_STATEMENT:
      return !statement.Cast<duckdb::CreateStatement>().info->temporary;
    default:
      return true;
  }
}

const std::string* copied_to(const duckdb::SQLStatement& statement) {
  if (statement.type != StatementType::COPY_STATEMENT) return nullptr;
  const duckdb::CopyInfo& info = *statement.Cast<duckdb::CopyStatement>().info;
  if (info.is_from || info.file_path.empty() || info.file_path.find("://") != std::string::npos)
    return nullptr;
  for (const char* option : {"partition_by", "per_thread_output", "file_size_bytes", "row_groups_per_file",
                             "return_files", "return_stats", "write_empty_file", "append"}) {
    if (info.options.contains(option) || info.parsed_options.contains(option)) return nullptr;
  }
  return &info.file_path;
}

void copy_to(duckdb::SQLStatement& statement, const std::string& path) {
  duckdb::CopyInfo& info = *statement.Cast<duckdb::CopyStatement>().info;
  info.file_path = path;
  info.file_path_expression = nullptr;
  info.parsed_options.erase("use_tmp_file");
  info.options["use_tmp_file"] = {duckdb::Value::BOOLEAN(false)};
}

}  // namespace lanewise::sql
