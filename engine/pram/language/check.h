#pragma once

#include <vector>

#include "pram/language/syntax.h"
#include "pram/tree/tree.h"

namespace lanewise::pram {

/// Resolves names, checks types, expands functions and loops. The tree is complete only if no error was added
/// to `diagnostics`.
Tree check(const syntax::Program& program, std::vector<Diagnostic>& diagnostics);

}  // namespace lanewise::pram
