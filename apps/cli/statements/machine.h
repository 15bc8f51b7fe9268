#pragma once

#include "api/machine_profile.h"

namespace lanewise::cli {

/// The profile of `lanewise tune`, or the defaults. A profile that cannot be used is reported on standard
/// error.
MachineProfile machine_profile();

}  // namespace lanewise::cli
