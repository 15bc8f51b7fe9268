#pragma once

#include <vector>

#include "pram/language/diagnostic.h"
#include "pram/language/tree.h"

namespace lanewise::pram {

/// Warnings about a correct program: variables that are never read or written, conditions that never hold,
/// writes that certainly conflict in the program's mode.
std::vector<Diagnostic> lint(const Tree& tree);

}  // namespace lanewise::pram
