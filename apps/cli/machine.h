#pragma once

#include "api/machine_profile.h"

namespace lanewise::cli {

/// What `lanewise tune` stored of this machine, else the defaults. A profile that cannot be used is reported
/// on standard error.
MachineProfile machine_profile();

}  // namespace lanewise::cli
