#include "expr/dates/functions.h"

#include <vector>

namespace lanewise {

std::span<const Function> date_functions() {
  static const std::vector<Function> all = [] {
    std::vector<Function> functions;
    for (const auto part : {expr::interval_arithmetic(), expr::date_part_functions(), expr::epoch_functions(),
                            expr::date_trunc_functions(), expr::date_difference_functions(),
                            expr::make_date_functions(), expr::strftime_functions()}) {
      functions.insert(functions.end(), part.begin(), part.end());
    }
    return functions;
  }();
  return all;
}

}  // namespace lanewise
