#pragma once

#include <compare>
#include <string>

namespace lanewise::ops {

/// Where work runs and results lie: the host, or a GPU.
struct Place {
  int gpu = -1;  ///< its ordinal; negative: the host

  bool is_host() const { return gpu < 0; }
  auto operator<=>(const Place&) const = default;
};

/// "cpu", "cuda:0"
std::string to_string(Place place);

}  // namespace lanewise::ops
