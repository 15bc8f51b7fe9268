#include "ops/run/place.h"

#include <fmt/format.h>

namespace lanewise::ops {

std::string to_string(Place place) { return place.is_host() ? "cpu" : fmt::format("cuda:{}", place.gpu); }

}  // namespace lanewise::ops
