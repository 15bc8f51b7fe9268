#pragma once

#include <cstdint>
#include <string>

namespace lanewise::cli::bench {

enum class GridLanguage : uint8_t { kCuda, kOpenCl };

/// The source of all kernels of grid_levels(): one text, in the words of either language.
std::string grid_kernels(GridLanguage language);

}  // namespace lanewise::cli::bench
