#pragma once

#include <fmt/format.h>

#include <string>
#include <string_view>

#include "base/json.h"
#include "pram/tree/diagnostic.h"

namespace lanewise::pram {

/// The elements in brackets, each written by f.
template <class Range, class F>
std::string json_list(const Range& range, F f) {
  std::string result = "[";
  for (const auto& element : range) {
    if (result.size() > 1) result += ',';
    result += f(element);
  }
  return result + "]";
}

inline std::string place_fields(const Place& place) {
  return fmt::format(R"("line":{},"column":{},"length":{})", place.line, place.column, place.length);
}

}  // namespace lanewise::pram
