#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace lanewise::expr {

/// End of the grapheme cluster that starts at `at`: a character as users see it, with all its marks
/// (Unicode standard annex 29, version 15.1, extended clusters).
size_t next_grapheme(std::string_view text, size_t at);

/// All clusters, found by looking back over the characters for each rule: for the reference evaluators.
std::vector<std::string> graphemes_of(const std::string& text);

}  // namespace lanewise::expr
