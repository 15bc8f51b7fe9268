#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace lanewise::cli {

/// kOpen: a quote, comment or bracket that is not closed, or a closing bracket without an opening one.
enum class Highlight : unsigned char { kPlain, kKeyword, kString, kNumber, kComment, kOpen };

using Keywords = std::set<std::string, std::less<>>;  // in lower case

/// For each byte of `line`; `before`: the statement's earlier lines, which may leave quotes or brackets open.
std::vector<Highlight> highlight_sql(std::string_view before, std::string_view line,
                                     const Keywords& keywords);

/// For a command such as .mode: its name, if it is one of `commands`.
std::vector<Highlight> highlight_dot_command(std::string_view line, const std::vector<std::string>& commands);

}  // namespace lanewise::cli
