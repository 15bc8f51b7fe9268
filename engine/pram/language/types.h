#pragma once

#include <optional>
#include <string_view>

#include "pram/language/syntax.h"
#include "pram/tree/tree.h"

/// Typing rules: the operand and result types of operators and built-in functions.
namespace lanewise::pram {

struct BuiltIn {
  std::string_view name;
  Op op;
  size_t args;             ///< number of arguments; min and max take more too
  std::string_view takes;  ///< "numbers", "integers", "a real", for the error
  bool (*accepts)(Type);
  std::string_view documentation;  ///< one line
};

/// The built-in function of that name, or null.
const BuiltIn* find_built_in(std::string_view name);
/// All built-in functions, for documentation and advice.
std::vector<BuiltIn> built_ins();

ExprPtr make_literal(Type type, Word word, const Place& place);
ExprPtr make_node(Op op, Type type, const Place& place, std::vector<ExprPtr> args, uint32_t index = 0);

/// Converts `expr` to `to` if that loses nothing: an int32 becomes an int, integers become real, an int
/// literal becomes an int32 if it fits. Null if there is no such conversion.
ExprPtr widen(const ExprPtr& expr, Type to);
/// The type to which both numbers convert; nothing if one is a bool and the other is not.
std::optional<Type> common_type(const Expr& a, const Expr& b);

}  // namespace lanewise::pram
