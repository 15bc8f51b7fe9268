#pragma once

#include <string>

namespace lanewise {

/// Where work runs.
struct DeviceChoice {
  bool offered = false;  ///< a GPU
  bool only = false;     ///< nothing else
  int ordinal = 0;
};

/// Parses "cpu", "cuda", "cuda:N" or "auto"; throws UserError for other names.
DeviceChoice parse_device(const std::string& name);

}  // namespace lanewise
