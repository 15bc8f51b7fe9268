#pragma once

#include <string>

#include "ops/run/place.h"

namespace lanewise {

/// Where work runs.
struct DeviceChoice {
  ops::Place place = {};  ///< a GPU; the host: none is used
  bool only = false;      ///< nothing else

  bool offered() const { return !place.is_host(); }
};

/// Parses "cpu", "cuda", "cuda:N" or "auto"; throws UserError for other names.
DeviceChoice parse_device(const std::string& name);

}  // namespace lanewise
