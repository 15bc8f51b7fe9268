#pragma once

#include <optional>
#include <string_view>

#include "lanes/search/find.h"
#include "text/syntax/ast.h"

namespace lanewise::text::literals {

/// How the bytes before and after `text` decide a line that contains it: no match, a match, or undecided.
/// `text` is a part of every match. Nothing if its position in the pattern is not fixed, or its neighbours
/// may be anything.
std::optional<lanes::Neighbours> find_neighbours(const syntax::Ast& ast, std::string_view text);

}  // namespace lanewise::text::literals
