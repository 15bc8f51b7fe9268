#pragma once

#include <algorithm>
#include <string_view>

namespace lanewise::text::captures {

/// Calls byte(c) or group(n) for each part of a rewrite: \0 .. \9 stand for groups, \\ for a backslash. False
/// if it contains any other backslash.
template <class Byte, class Group>
bool read_rewrite(std::string_view rewrite, Byte&& byte, Group&& group) {
  for (size_t i = 0; i < rewrite.size(); ++i) {
    if (rewrite[i] != '\\') {
      byte(rewrite[i]);
      continue;
    }
    const char escaped = ++i < rewrite.size() ? rewrite[i] : '\0';
    if (escaped == '\\') {
      byte(escaped);
    } else if (escaped >= '0' && escaped <= '9') {
      group(escaped - '0');
    } else {
      return false;
    }
  }
  return true;
}

/// The highest group named in a rewrite, also after an invalid backslash; a pattern without it changes
/// nothing.
inline int highest_group(std::string_view rewrite) {
  int highest = 0;
  for (size_t i = 0; i + 1 < rewrite.size(); ++i) {
    if (rewrite[i] != '\\') continue;
    ++i;
    if (rewrite[i] >= '0' && rewrite[i] <= '9') highest = std::max(highest, rewrite[i] - '0');
  }
  return highest;
}

}  // namespace lanewise::text::captures
