#pragma once

#include <string>

#include "pram/inputs/text.h"
#include "pram/interpreter/recording.h"
#include "pram/meta/passes.h"

namespace lanewise::lab {

/// The meta-program as JSON: its lines, each with the number of its unit (what a machine does at once; -1:
/// none); the units, each with its kernel's name where a device has one; what the passes did; all passes.
std::string meta_program(const pram::Program& program, const pram::Passes& passes);

/// Runs the program kernel by kernel. Writes for each the number of steps after it, and its unit. The result
/// is a JSON object with counts. A step that fails ends it.
std::string kernel_steps(const pram::Program& program, const pram::TextInputs& inputs,
                         const pram::Passes& passes, uint64_t most_steps, pram::Recording& recording);

}  // namespace lanewise::lab
