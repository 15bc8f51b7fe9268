#include "sql/statement.h"

#include "duckdb/parser/statement/delete_statement.hpp"
#include "duckdb/parser/statement/merge_into_statement.hpp"
#include "duckdb/parser/statement/pragma_statement.hpp"
#include "duckdb/parser/statement/prepare_statement.hpp"
#include "duckdb/parser/statement/update_statement.hpp"
#include "duckdb/parser/tableref/basetableref.hpp"
#include "duckdb/parser/tableref/subqueryref.hpp"

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

void add_ctes(duckdb::QueryNode& node, const duckdb::CommonTableExpressionMap& ctes) {
  for (const auto& [name, table] : ctes.map) {
    if (!node.cte_map.map.contains(name)) node.cte_map.map.insert(name, table->Copy());
  }
}

/// What UPDATE, DELETE or MERGE reads besides its target.
struct From {
  duckdb::unique_ptr<duckdb::TableRef>* table = nullptr;  ///< null: nothing, or several
  duckdb::CommonTableExpressionMap* ctes = nullptr;
};
From from_of(duckdb::SQLStatement& statement) {
  switch (statement.type) {
    case StatementType::UPDATE_STATEMENT: {
      auto& update = statement.Cast<duckdb::UpdateStatement>();
      return {update.from_table ? &update.from_table : nullptr, &update.cte_map};
    }
    case StatementType::DELETE_STATEMENT: {
      auto& removal = statement.Cast<duckdb::DeleteStatement>();
      return {removal.using_clauses.size() == 1 ? &removal.using_clauses[0] : nullptr, &removal.cte_map};
    }
    case StatementType::MERGE_INTO_STATEMENT: {
      auto& merge = statement.Cast<duckdb::MergeIntoStatement>();
      return {&merge.source, &merge.cte_map};
    }
    default:
      return {};
  }
}

/// The name by which the statement calls a subquery or a CTE in its FROM; empty for other tables, which
/// DuckDB reads.
std::string query_name(const duckdb::TableRef& table, const duckdb::CommonTableExpressionMap& ctes) {
  if (table.type == duckdb::TableReferenceType::SUBQUERY) return table.alias;
  if (table.type != duckdb::TableReferenceType::BASE_TABLE) return {};
  const auto& base = table.Cast<duckdb::BaseTableRef>();
  if (!base.catalog_name.empty() || !base.schema_name.empty() || !ctes.map.contains(base.table_name))
    return {};
  return base.alias.empty() ? base.table_name : base.alias;
}

duckdb::unique_ptr<duckdb::SelectStatement> query_in_from(const From& from) {
  if (from.table == nullptr || query_name(**from.table, *from.ctes).empty()) return nullptr;
  auto node = duckdb::make_uniq<duckdb::SelectNode>();
  node->select_list.push_back(duckdb::make_uniq<duckdb::StarExpression>());
  node->from_table = (*from.table)->Copy();
  add_ctes(*node, *from.ctes);
  auto select = duckdb::make_uniq<duckdb::SelectStatement>();
  select->node = std::move(node);
  return select;
}

}  // namespace

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
      add_ctes(*select->node, insert.cte_map);
      return select;
    }
    case StatementType::UPDATE_STATEMENT:
    case StatementType::DELETE_STATEMENT:
    case StatementType::MERGE_INTO_STATEMENT:
      if (!statement.named_param_map.empty()) return nullptr;  // some may be outside of the query
      return query_in_from(from_of(*statement.Copy()));
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
    case StatementType::UPDATE_STATEMENT:
    case StatementType::DELETE_STATEMENT:
    case StatementType::MERGE_INTO_STATEMENT: {
      const From from = from_of(*result);
      *from.table =
          duckdb::make_uniq<duckdb::SubqueryRef>(std::move(rows), query_name(**from.table, *from.ctes));
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
