#pragma once

#include <span>
#include <string>
#include <utility>
#include <vector>

namespace lanewise::cli::bench {

/// A line of a plot: points from left to right.
struct Series {
  std::string name;
  std::vector<std::pair<double, double>> points;
};

/// One plot: y from 0 up over x.
struct Panel {
  std::string title;
  std::string x, y;       ///< what the axes show
  bool doubling = false;  ///< x grows by factors: 8, 16, 32
  std::vector<Series> series;
};

/// The panels below each other as an SVG image; `note` stands at the bottom.
std::string svg(std::span<const Panel> panels, const std::string& note);

}  // namespace lanewise::cli::bench
