#pragma once

#include "lanes/lane.h"

namespace lanewise::lanes {

/// Estimated frequency of a byte in names, prose and logs, as a fraction of all bytes. It guides which bytes
/// are searched for, and affects only speed.
double byte_frequency(u8 byte);

}  // namespace lanewise::lanes
