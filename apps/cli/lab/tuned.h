#pragma once

#include <functional>
#include <string_view>

#include "pram/tree/value.h"

namespace lanewise::cli::lab {

/// The result of a bundled program, computed by the tuned algorithm of engine/primitives or engine/graph on
/// this machine's cores. Numbers wrap where the program would fail.
using Tuned = std::function<pram::Arrays(const pram::Arrays& inputs)>;

/// The tuned algorithm of the bundled program with this text. Throws UserError if there is none.
Tuned tuned_version(std::string_view program);

}  // namespace lanewise::cli::lab
