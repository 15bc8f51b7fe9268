#include <algorithm>
#include <array>
#include <utility>

#include "expr/expr.h"
#include "expr/function.h"

namespace lanewise {

namespace {

using Names = std::vector<std::string>;

constexpr std::array kOperators = std::to_array<std::pair<std::string_view, std::string_view>>({
    {"~~", "LIKE"},
    {"!~~", "NOT LIKE"},
    {"~~*", "ILIKE"},
    {"!~~*", "NOT ILIKE"},
    {"~~~", "GLOB"},
    {"IS DISTINCT FROM", "IS DISTINCT FROM"},
    {"IS NOT DISTINCT FROM", "IS NOT DISTINCT FROM"},
});

/// How the function is written between two arguments; empty: it is written before them.
std::string_view infix(std::string_view name) {
  for (const auto& [function, text] : kOperators) {
    if (function == name) return text;
  }
  const bool symbols = std::all_of(name.begin(), name.end(), [](char c) { return !isalnum(c) && c != '_'; });
  return symbols ? name : std::string_view();
}

std::string quoted(std::string_view text) {
  std::string result = "'";
  for (const char c : text) {
    if (c == '\'') result += '\'';
    result += c;
  }
  return result + "'";
}

std::string literal_text(const Value& value) {
  const Type& type = value.type();
  if (value.is_null() || type.id == TypeId::kBool || type.is_integer() || type.is_float() ||
      type.id == TypeId::kDecimal) {
    return value.to_string();
  }
  if (type.id == TypeId::kVarchar) return quoted(value.text());
  return type.name() + " " + quoted(value.to_string());
}

std::string joined(const std::vector<ExprPtr>& args, size_t first, std::string_view between,
                   const Names* names) {
  std::string text;
  for (size_t i = first; i < args.size(); ++i) {
    if (i != first) text += between;
    text += args[i]->to_string(names);
  }
  return text;
}

std::string call_text(const Expr& expr, const Names* names) {
  using Form = Function::Form;
  const std::string_view name = expr.function->name;
  const auto arg = [&](size_t i) { return expr.args[i]->to_string(names); };
  switch (expr.function->form) {
    case Form::kNot:
      return "(NOT " + arg(0) + ")";
    case Form::kIsNull:
    case Form::kIsNotNull:
      return "(" + arg(0) + " " + std::string(name) + ")";
    case Form::kBetween:
      return "(" + arg(0) + " BETWEEN " + arg(1) + " AND " + arg(2) + ")";
    default:
      break;
  }
  const std::string_view between = infix(name);
  if (!between.empty() && expr.args.size() == 2)
    return "(" + arg(0) + " " + std::string(between) + " " + arg(1) + ")";
  if (!between.empty() && expr.args.size() == 1) return "(" + std::string(between) + arg(0) + ")";
  const std::string lambda = expr.lambda == nullptr ? "" : ", lambda: " + expr.lambda->to_string();
  return std::string(name) + "(" + joined(expr.args, 0, ", ", names) + lambda + ")";
}

std::string case_text(const Expr& expr, const Names* names) {
  std::string text = "CASE";
  size_t arg = 0;
  for (; arg + 1 < expr.args.size(); arg += 2) {
    text += " WHEN " + expr.args[arg]->to_string(names) + " THEN " + expr.args[arg + 1]->to_string(names);
  }
  if (arg < expr.args.size()) text += " ELSE " + expr.args[arg]->to_string(names);
  return text + " END";
}

}  // namespace

std::string Expr::to_string(const std::vector<std::string>* names) const {
  switch (kind) {
    case Kind::kColumn:
      return names != nullptr && column < names->size() ? (*names)[column] : "#" + std::to_string(column);
    case Kind::kLiteral:
      return literal_text(literal);
    case Kind::kCall:
      return call_text(*this, names);
    case Kind::kCast:
      return (try_cast ? "TRY_CAST(" : "CAST(") + args[0]->to_string(names) + " AS " + type.name() + ")";
    case Kind::kAnd:
      return "(" + joined(args, 0, " AND ", names) + ")";
    case Kind::kOr:
      return "(" + joined(args, 0, " OR ", names) + ")";
    case Kind::kCase:
      return case_text(*this, names);
    case Kind::kCoalesce:
      return "coalesce(" + joined(args, 0, ", ", names) + ")";
    case Kind::kIn:
      return "(" + args[0]->to_string(names) + " IN (" + joined(args, 1, ", ", names) + "))";
  }
  return {};
}

}  // namespace lanewise
