#include "sql/pattern_faults.h"

#include "text/pattern.h"

namespace lanewise::sql {

namespace {

/// The functions whose second argument is a regular expression, and where their options stand.
constexpr std::pair<std::string_view, size_t> kFunctions[] = {
    {"regexp_matches", 2},     {"regexp_full_match", 2},     {"regexp_extract", 3},
    {"regexp_extract_all", 3}, {"regexp_replace", 3},        {"regexp_split_to_array", 2},
    {"string_split_regex", 2}, {"regexp_split_to_table", 2}, {"str_split_regex", 2},
};

const std::string* constant_text(const duckdb::FunctionExpression& call, size_t at) {
  if (at >= call.children.size() ||
      call.children[at]->GetExpressionClass() != duckdb::ExpressionClass::CONSTANT)
    return nullptr;
  const duckdb::Value& value = call.children[at]->Cast<duckdb::ConstantExpression>().value;
  return value.IsNull() || value.type() != duckdb::LogicalType::VARCHAR ? nullptr
                                                                        : &duckdb::StringValue::Get(value);
}

void check(const duckdb::FunctionExpression& call) {
  for (const auto& [name, options] : kFunctions) {
    if (call.function_name != name) continue;
    const std::string* pattern = constant_text(call, 1);
    const std::string* letters = constant_text(call, options);
    bool global = false;
    if (pattern) text::compile_regex(*pattern, text::parse_regex_options(letters ? *letters : "", &global));
  }
}

void visit(duckdb::QueryNode& node);

void visit(const duckdb::ParsedExpression& expr) {
  if (expr.GetExpressionClass() == duckdb::ExpressionClass::FUNCTION)
    check(expr.Cast<duckdb::FunctionExpression>());
  if (expr.GetExpressionClass() == duckdb::ExpressionClass::SUBQUERY)
    visit(*expr.Cast<duckdb::SubqueryExpression>().subquery->node);
  duckdb::ParsedExpressionIterator::EnumerateChildren(
      expr, [](const duckdb::ParsedExpression& child) { visit(child); });
}

void visit(duckdb::QueryNode& node) {
  duckdb::ParsedExpressionIterator::EnumerateQueryNodeChildren(
      node, [](duckdb::unique_ptr<duckdb::ParsedExpression>& expr) { visit(*expr); });
}

}  // namespace

void throw_pattern_fault(const duckdb::SQLStatement& statement) {
  if (statement.type == duckdb::StatementType::SELECT_STATEMENT)
    visit(*statement.Cast<duckdb::SelectStatement>().node);
}

}  // namespace lanewise::sql
