#pragma once

#include <optional>
#include <string_view>

#include "text/syntax/ast.h"

namespace lanewise::text::syntax {

/// LIKE: '%' any bytes, '_' one character; the byte after `escape` is literal. With `ignore_case` the pattern
/// is lowercased and each of its characters matches all characters that lower() maps to it. The whole string
/// must match. Throws UserError if the pattern ends in the escape.
Ast parse_like(std::string_view pattern, std::optional<char> escape, bool ignore_case);

/// GLOB over bytes, as in DuckDB: '*', '?', [a-c], [!a-c], '\' escapes. An unterminated bracket matches
/// nothing.
Ast parse_glob(std::string_view pattern);

}  // namespace lanewise::text::syntax
