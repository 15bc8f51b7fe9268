#pragma once

#include <string_view>
#include <vector>

#include "pram/language/syntax.h"

namespace lanewise::pram {

/// The syntax tree of `text`, which must outlive it. Errors are added to `diagnostics`; after an error,
/// parsing continues at the next line that can start a statement. docs/use/pram.md has the grammar.
syntax::Program parse(std::string_view text, std::vector<Diagnostic>& diagnostics);

}  // namespace lanewise::pram
