#include "expr/patterns/functions.h"

#include <vector>

namespace lanewise {

std::span<const Function> pattern_functions() {
  static const std::vector<Function> all = [] {
    std::vector<Function> functions;
    for (const auto part : {expr::match_functions(), expr::extract_functions(), expr::rewrite_functions()}) {
      functions.insert(functions.end(), part.begin(), part.end());
    }
    return functions;
  }();
  return all;
}

}  // namespace lanewise
