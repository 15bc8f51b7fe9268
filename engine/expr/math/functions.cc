#include "expr/math/functions.h"

#include <vector>

namespace lanewise {

std::span<const Function> math_functions() {
  static const std::vector<Function> all = [] {
    std::vector<Function> functions;
    for (const auto part : {expr::rounding_functions(), expr::analysis_functions(),
                            expr::extremes_functions(), expr::divisor_functions()}) {
      functions.insert(functions.end(), part.begin(), part.end());
    }
    return functions;
  }();
  return all;
}

}  // namespace lanewise
