#pragma once

#include <string>
#include <vector>

#include "study/plot/plot.h"

namespace lanewise::cli::plot {

inline constexpr int kColours = 8;  // c0 ... c7 of kStyle
inline constexpr double kWidth = 860;

/// Collects the elements of one SVG image.
class Drawing {
 public:
  Drawing(double height, const std::string& title);

  void text(double x, double y, const std::string& kind, const std::string& what);
  void rule(double x1, double y1, double x2, double y2, const std::string& kind);
  void box(double x, double y, double width, double height, const std::string& kind,
           const std::string& tip = "");
  void open(const std::string& kind);  ///< a group of elements
  void close();
  void add(const std::string& element) { out_ += element; }
  std::string finish();

 private:
  std::string out_;
};

/// 1, 2 or 5 times a power of ten, so that about five steps reach `most`.
double step_for(double most);

/// "GB/s" of an axis without a label, else "label, unit".
std::string name_of(const Axis& axis);

}  // namespace lanewise::cli::plot
