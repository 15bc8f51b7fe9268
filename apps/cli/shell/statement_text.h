#pragma once

#include <string_view>

namespace lanewise::cli {

/// Whether the text ends with a complete statement: its last ';' stands outside quotes and comments, and
/// nothing but space and comments follows.
bool ends_with_statement(std::string_view text);

/// Whether the end of the text lies within single quotes; `begin`: where these open.
bool in_string(std::string_view text, size_t& begin);

/// Whether nothing but space and comments is in it.
bool is_blank(std::string_view text);

}  // namespace lanewise::cli
