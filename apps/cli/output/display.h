#pragma once

#include <string>
#include <string_view>

namespace lanewise::cli {

/// `text` as one line for a terminal: control characters as \n, \t, \x1B, invalid UTF-8 as U+FFFD.
std::string printable(std::string_view text);

/// The width of printable text in terminal cells: 2 for wide characters, 0 for combining ones.
int display_width(std::string_view text);

/// `text` cut to at most `width` cells; "…" is the last one if it was cut.
std::string fit(std::string_view text, int width);

}  // namespace lanewise::cli
