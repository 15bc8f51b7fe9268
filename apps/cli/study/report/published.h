#pragma once

#include <span>
#include <string>

namespace lanewise::cli::study {

/// The filter of 2019: seconds for kPublishedRows values, at each of kSelectivities.
inline constexpr double kPublishedRows = 1 << 30;
inline constexpr double kSelectivities[] = {0.1, 1, 10, 20, 25, 30, 40, 50, 60, 70, 80, 90, 100};

/// The CUDA kernel's seconds.
inline constexpr double kPublishedCudaFilter[] = {0.312, 0.314, 0.311, 0.317, 0.309, 0.316, 0.310,
                                                  0.312, 0.310, 0.313, 0.309, 0.308, 0.312};

struct PublishedFilter {
  const char* name;
  const char* ours;  ///< the corresponding level; empty: none
  double seconds[13];
};
std::span<const PublishedFilter> published_filter();

}  // namespace lanewise::cli::study
