#pragma once

#include <string>
#include <string_view>

namespace lanewise::expr {

/// The result of the function lower().
std::string lower_case(std::string_view text);

}  // namespace lanewise::expr
