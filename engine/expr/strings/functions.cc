#include "expr/strings/functions.h"

#include <vector>

namespace lanewise {

std::span<const Function> string_functions() {
  static const std::vector<Function> all = [] {
    std::vector<Function> functions;
    for (const auto part :
         {expr::length_functions(), expr::case_functions(), expr::trim_functions(),
          expr::substring_functions(), expr::concat_functions(), expr::split_functions(),
          expr::replace_functions(), expr::pad_functions(), expr::reverse_functions(),
          expr::normalize_functions(), expr::code_point_functions(), expr::encode_functions()}) {
      functions.insert(functions.end(), part.begin(), part.end());
    }
    return functions;
  }();
  return all;
}

}  // namespace lanewise
