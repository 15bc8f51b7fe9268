#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "data/value.h"
#include "expr/strings/characters.h"

/// Shared by the reference evaluators of the string functions: a text as a list of characters, each a
/// string.
namespace lanewise::expr {

inline std::vector<std::string> characters_of(const std::string& text) {
  std::vector<std::string> result;
  for (char byte : text) {
    if (result.empty() || starts_character(byte)) result.emplace_back();
    result.back() += byte;
  }
  return result;
}

/// Characters [begin, end) of the list, cut at its end.
inline std::string join(const std::vector<std::string>& characters, int128_t begin, int128_t end) {
  std::string result;
  const auto size = static_cast<int128_t>(characters.size());
  for (int128_t i = std::max<int128_t>(begin, 0); i < std::min(end, size); ++i) {
    result += characters[static_cast<size_t>(i)];
  }
  return result;
}

}  // namespace lanewise::expr
