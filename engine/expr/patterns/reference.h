#pragma once

#include <string>

/// LIKE and GLOB in a few plain lines, independent of the compiled patterns.
namespace lanewise::expr {

/// '%' any sequence, '_' one character; `escape` (if not null) makes the next byte literal. Throws UserError
/// if the pattern ends in it and the text continues there. As in DuckDB, a text may end before pairs of '%'
/// at the pattern's end if '%' is the escape.
bool like_reference(const std::string& text, const std::string& pattern, const char* escape);

/// '*' any sequence, '?' one byte, [a-c] and [!a-c] classes, '\' escapes.
bool glob_reference(const std::string& text, const std::string& pattern);

}  // namespace lanewise::expr
