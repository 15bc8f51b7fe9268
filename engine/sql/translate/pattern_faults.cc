#include "sql/translate/pattern_faults.h"

#include <optional>
#include <string>

#include "text/pattern/pattern.h"

namespace lanewise::sql {

namespace {

/// The functions whose second argument is a regular expression, and the index of their options.
constexpr std::pair<std::string_view, size_t> kFunctions[] = {
    {"regexp_matches", 2},     {"regexp_full_match", 2},     {"regexp_extract", 3},
    {"regexp_extract_all", 3}, {"regexp_replace", 3},        {"regexp_split_to_array", 2},
    {"string_split_regex", 2}, {"regexp_split_to_table", 2}, {"str_split_regex", 2},
};

/// Compiles the patterns of a statement that are constants or parameters.
class Patterns {
 public:
  explicit Patterns(const ParameterValues& parameters) : parameters_(parameters) {}

  void visit(duckdb::QueryNode& node) const {
    duckdb::ParsedExpressionIterator::EnumerateQueryNodeChildren(
        node, [this](duckdb::unique_ptr<duckdb::ParsedExpression>& expr) { visit(*expr); });
  }

 private:
  void visit(const duckdb::ParsedExpression& expr) const {
    if (expr.GetExpressionClass() == duckdb::ExpressionClass::FUNCTION)
      check(expr.Cast<duckdb::FunctionExpression>());
    if (expr.GetExpressionClass() == duckdb::ExpressionClass::SUBQUERY)
      visit(*expr.Cast<duckdb::SubqueryExpression>().subquery->node);
    duckdb::ParsedExpressionIterator::EnumerateChildren(
        expr, [this](const duckdb::ParsedExpression& child) { visit(child); });
  }

  void check(const duckdb::FunctionExpression& call) const {
    for (const auto& [name, options] : kFunctions) {
      if (call.function_name != name) continue;
      const auto pattern = text(call, 1), letters = text(call, options);
      bool global = false;
      if (pattern)
        lanewise::text::compile_regex(*pattern,
                                      lanewise::text::parse_regex_options(letters.value_or(""), &global));
    }
  }

  /// The text of an argument; nothing if it is not a string, or not known yet.
  std::optional<std::string> text(const duckdb::FunctionExpression& call, size_t at) const {
    if (at >= call.children.size()) return std::nullopt;
    const duckdb::ParsedExpression& argument = *call.children[at];
    duckdb::Value value;
    if (argument.GetExpressionClass() == duckdb::ExpressionClass::CONSTANT) {
      value = argument.Cast<duckdb::ConstantExpression>().value;
    } else if (argument.GetExpressionClass() == duckdb::ExpressionClass::PARAMETER) {
      const auto found = parameters_.find(argument.Cast<duckdb::ParameterExpression>().identifier);
      if (found != parameters_.end()) value = found->second.GetValue();
    }
    if (value.IsNull() || value.type() != duckdb::LogicalType::VARCHAR) return std::nullopt;
    return duckdb::StringValue::Get(value);
  }

  const ParameterValues& parameters_;
};

}  // namespace

void throw_pattern_fault(const duckdb::SQLStatement& statement, const ParameterValues& parameters) {
  if (statement.type == duckdb::StatementType::SELECT_STATEMENT)
    Patterns(parameters).visit(*statement.Cast<duckdb::SelectStatement>().node);
}

}  // namespace lanewise::sql
