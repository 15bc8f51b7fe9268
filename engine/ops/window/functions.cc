#include "ops/window/functions.h"

#include <algorithm>

#include "ops/window/function.h"

namespace lanewise::ops {

const NamedWindowFunction* find_window_function(std::string_view name) {
  for (const auto& part : {rank_functions(), value_functions(), fill_functions()}) {
    const auto found = std::ranges::find(part, name, &NamedWindowFunction::name);
    if (found != part.end()) return &*found;
  }
  return nullptr;
}

}  // namespace lanewise::ops
