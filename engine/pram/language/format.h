#pragma once

#include <string>
#include <string_view>

namespace lanewise::pram {

/// The program in its usual form: two spaces of indentation for each brace, spaces around operators, at most
/// one empty line between lines. Lines stay lines; comments stay where they are. `text` is a program without
/// mistakes.
std::string format(std::string_view text);

}  // namespace lanewise::pram
