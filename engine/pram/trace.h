#pragma once

#include <functional>
#include <string_view>

#include "pram/interpreter/interpreter.h"

/// Traces: lines of JSON for the start, for each step or kernel with its changes, and for the end;
/// docs/use/pram.md has the schema. If the run fails, the last line says so, and the error is thrown.
namespace lanewise::pram {

using WriteLine = std::function<void(std::string_view)>;

/// Runs `interpreter`, which has not started, to its end: a line for each step.
void trace_steps(Interpreter& interpreter, const WriteLine& write);
/// The same with a line for each kernel of the program compiled with `passes`.
void trace_kernels(Interpreter& interpreter, const Passes& passes, const WriteLine& write);
/// A line for each kernel that the options' executor runs. All memory is compared after each.
void trace_kernels(const Program& program, const Arrays& inputs, const Options& options,
                   const WriteLine& write);

}  // namespace lanewise::pram
