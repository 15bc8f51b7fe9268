#pragma once

#include <cstdint>
#include <string>

namespace lanewise {

__extension__ typedef __int128 int128_t;
__extension__ typedef unsigned __int128 uint128_t;

/// Decimal digits of `value`, with a leading '-' if it is negative.
std::string to_string(int128_t value);
std::string to_string(uint128_t value);

}  // namespace lanewise
