#pragma once

#include "text/unicode/utf8.h"

namespace lanewise::text::unicode {

/// Simple lower and upper case of one code point: the mapping of DuckDB's lower() and upper().
char32_t to_lower(char32_t c);
char32_t to_upper(char32_t c);

/// The next code point that differs from c only in case, in a cycle: 'K' -> 'k' -> U+212A -> 'K'. c if
/// there is none.
char32_t next_fold(char32_t c);

}  // namespace lanewise::text::unicode
