#pragma once

#include <filesystem>
#include <string_view>
#include <vector>

namespace lanewise::gpu {

/// Where a file or folder that belongs to an installation may be: next to the library that has this code, or
/// else to the program, and where packages put it. The likeliest place comes first.
std::vector<std::filesystem::path> installed_at(std::string_view name);

}  // namespace lanewise::gpu
