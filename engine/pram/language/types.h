#pragma once

#include <optional>
#include <string_view>

#include "pram/language/syntax.h"
#include "pram/language/tree.h"

/// Rules of types: what operators and built-in functions take and give.
namespace lanewise::pram {

struct BuiltIn {
  std::string_view name;
  Op op;
  size_t args;             ///< how many; min and max take more too
  std::string_view takes;  ///< "numbers", "integers", "a real", for the error
  bool (*accepts)(Type);
  std::string_view documentation;  ///< one line
};

/// The built-in function of that name, or null.
const BuiltIn* find_built_in(std::string_view name);
/// All of them, for documentation and advice.
std::vector<BuiltIn> built_ins();

ExprPtr make_literal(Type type, Word word, const Place& place);
ExprPtr make_node(Op op, Type type, const Place& place, std::vector<ExprPtr> args, uint32_t index = 0);

/// `expr` as `to` where that loses nothing: an int32 becomes an int, integers become real, an int literal
/// becomes an int32 if it fits. Null where it does not go.
ExprPtr widen(const ExprPtr& expr, Type to);
/// The type that both numbers go to; none if one is a bool and the other is not.
std::optional<Type> common_type(const Expr& a, const Expr& b);

}  // namespace lanewise::pram
