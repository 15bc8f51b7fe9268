#pragma once

#include <string_view>
#include <vector>

#include "pram/language/syntax.h"

namespace lanewise::pram {

/// The syntax of `text`, which must outlive it. Mistakes are added to `diagnostics`; what stands after one
/// is read on, from the next line that can begin something. docs/use/pram.md has the grammar.
syntax::Program parse(std::string_view text, std::vector<Diagnostic>& diagnostics);

}  // namespace lanewise::pram
