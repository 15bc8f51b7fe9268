#pragma once

#include <string>
#include <string_view>

namespace lanewise::pram {

/// The program in its standard layout: two spaces of indentation for each brace, spaces around operators, at
/// most one empty line between lines. Line breaks and comments are kept. `text` is a program without
/// mistakes.
std::string format(std::string_view text);

}  // namespace lanewise::pram
