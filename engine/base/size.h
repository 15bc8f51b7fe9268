#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace lanewise {

/// "1.5 GiB", "640 MiB", "12 B".
std::string format_size(size_t bytes);

/// Reads "4GB", "512 MiB", "1.5g", "4096" (bytes). KB, MB, GB are powers of 1000; KiB, MiB, GiB and k, m, g
/// of 1024. Throws UserError that quotes `text`.
size_t parse_size(std::string_view text);

}  // namespace lanewise
