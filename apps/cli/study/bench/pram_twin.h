#pragma once

#include <functional>
#include <string>

#include "gpu/device.h"
#include "pram/tree/value.h"

namespace lanewise::cli::bench {

/// The hand-written algorithm for the problem of a bundled program: its outputs from `inputs`, on all cores
/// or on a GPU with transfers. Throws UserError if there is none.
std::function<pram::Arrays()> twin_on_cores(const std::string& program, const pram::Arrays& inputs);
std::function<pram::Arrays()> twin_on_gpu(const std::string& program, const pram::Arrays& inputs,
                                          gpu::Device& gpu);

}  // namespace lanewise::cli::bench
