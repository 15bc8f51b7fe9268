#pragma once

#include <optional>

#include "data/type.h"
#include "expr/function.h"

namespace lanewise::expr {

/// What computes a cast on a device, if devices have it.
std::optional<DeviceFunction> device_cast(Type from, Type to);

}  // namespace lanewise::expr
