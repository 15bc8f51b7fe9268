#pragma once

#include <array>
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

/// The B-trees of 2012, in ms for each minimum degree t: searches of one node, copies of trees.
inline constexpr std::array kPublishedDegrees = {64, 128, 512, 1024};
inline constexpr std::array kPublishedSegments = {0.003865, 0.003845, 0.003910, 0.003927},
                            kPublishedKeys = {0.003095, 0.003090, 0.003177, 0.003069},
                            kPublishedCopies1000 = {1.15, 1.9, 6.37, 9.55},
                            kPublishedCopies10000 = {6.73, 11.5, 50.34, 93.22};
/// Seconds of one search of a tree on the GPU of 2012; 0: not published.
double published_tree(double keys, double degree);

}  // namespace lanewise::cli::study
