#pragma once

#include <cstddef>
#include <string_view>

namespace lanewise::text {

/// The match of a group: bytes [begin, end) of the text; begin is kNowhere if the group did not take part.
struct Capture {
  static constexpr size_t kNowhere = static_cast<size_t>(-1);
  size_t begin = kNowhere;
  size_t end = kNowhere;

  bool matched() const { return begin != kNowhere; }
  std::string_view of(std::string_view text) const {
    return matched() ? text.substr(begin, end - begin) : std::string_view();
  }
};

}  // namespace lanewise::text
