#pragma once

#include <string>
#include <string_view>

namespace lanewise::expr {

/// What the function lower() makes of `text`.
std::string lower_case(std::string_view text);

}  // namespace lanewise::expr
