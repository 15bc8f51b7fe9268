#pragma once

#include "lanes/lane.h"

namespace lanewise::lanes {

/// About how often a byte stands in names, prose and logs, as a share of all bytes. A guess for the choice of
/// what to look for; nothing depends on it but speed.
double byte_frequency(u8 byte);

}  // namespace lanewise::lanes
