#pragma once

#include <filesystem>
#include <string>

namespace lanewise::gpu {

/// The build ID of a library, which its linker wrote: equal only for equal contents. Empty: it has none.
std::string build_id(const std::filesystem::path& library);

}  // namespace lanewise::gpu
