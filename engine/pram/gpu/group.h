#pragma once

#include "pram/gpu/run.h"

namespace lanewise::pram {

/// Throws UserError if one group of `backend` cannot run programs with these options.
void check_group(const Options& options, const Backend& backend);

/// Runs a program that was compiled for one group, in one launch. Throws UserError if it does not fit,
/// Failed.
Result run_in_group(const DeviceProgram& program, const Code& code, const Arrays& inputs, Backend& backend);

}  // namespace lanewise::pram
