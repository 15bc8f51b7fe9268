#pragma once

#include <functional>
#include <string_view>

#include "pram/interpreter/interpreter.h"

namespace lanewise::pram {

/// Runs `interpreter` to its end and gives a line of JSON for the start, for each step with what it changed,
/// and for the end; docs/pram.md has the schema. If the run fails, the last line says so, and the error is
/// thrown.
void trace(Interpreter& interpreter, const std::function<void(std::string_view)>& write);

}  // namespace lanewise::pram
