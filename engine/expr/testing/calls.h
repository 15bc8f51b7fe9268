#pragma once

#include <vector>

#include "expr/evaluation/evaluate.h"
#include "expr/functions/build.h"

/// Functions of values, by their references.
namespace lanewise::calls {

inline Value of(const char* name, const std::vector<Value>& args) {
  std::vector<ExprPtr> literals;
  for (const Value& arg : args) literals.push_back(literal(arg));
  return evaluate_reference(*call(name, literals), {});
}
inline int64_t number(const char* name, const std::vector<Value>& args) {
  return static_cast<int64_t>(of(name, args).integer());
}

}  // namespace lanewise::calls
