#include "base/int128.h"

#include <algorithm>

namespace lanewise {

std::string to_string(uint128_t value) {
  std::string digits;
  do {
    digits.push_back(static_cast<char>('0' + static_cast<int>(value % 10)));
    value /= 10;
  } while (value != 0);
  std::reverse(digits.begin(), digits.end());
  return digits;
}

std::string to_string(int128_t value) {
  if (value >= 0) return to_string(static_cast<uint128_t>(value));
  return "-" + to_string(-static_cast<uint128_t>(value));
}

}  // namespace lanewise
