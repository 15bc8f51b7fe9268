#pragma once

#include <vector>

#include "pram/tree/diagnostic.h"
#include "pram/tree/tree.h"

namespace lanewise::pram {

/// Warnings about a correct program: variables that are never read or written, conditions that never hold,
/// writes that certainly conflict in the program's mode.
std::vector<Diagnostic> lint(const Tree& tree);

}  // namespace lanewise::pram
