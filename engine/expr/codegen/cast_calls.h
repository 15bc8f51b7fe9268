#pragma once

#include <optional>

#include "data/type.h"
#include "expr/function.h"

namespace lanewise::expr {

/// The device function that computes a cast, if devices support it.
std::optional<DeviceFunction> device_cast(Type from, Type to);
}  // namespace lanewise::expr
