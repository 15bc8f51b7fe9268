#pragma once

#include <span>
#include <string>
#include <vector>

namespace lanewise::cli::plot {

/// A measured value, and the least and the greatest of its runs.
struct Point {
  double x = 0, y = 0;
  double low = y, high = y;
};

/// A line of a plot: points from left to right.
struct Series {
  enum Kind { measured, limit, published } kind = measured;
  std::string name;
  std::vector<Point> points;
};

struct Axis {
  std::string label;
  std::string unit;
  enum Scale { linear, logarithmic } scale = linear;
};

/// A named position on the x axis, such as the chosen value.
struct Mark {
  double x;
  std::string name;
};

/// y over x. The y axis begins at 0, or is logarithmic.
struct Curves {
  std::string title;
  Axis x, y;
  std::vector<Series> series = {};
  std::vector<Mark> marks = {};
};

/// Groups of horizontal bars: one bar of a group for each series. A negative value is a gap.
struct Bars {
  std::string title;
  Axis x;
  std::vector<std::string> groups;
  std::vector<std::string> series;
  std::vector<std::vector<double>> values;  ///< of each group, of each series
  double limit = 0;                         ///< 0: none
  std::string limit_name = {};
};

/// A number for each column and row, as text on a colour. A negative value is a gap.
struct HeatMap {
  std::string title;
  Axis x, y;
  std::vector<std::string> columns, rows;
  std::vector<std::vector<double>> values;  ///< of each row, of each column
  double middle = 1;                        ///< the colour of this value is neutral
  std::string unit = {};                    ///< of the values
};

/// Lanes over time: the rows that each lane worked on, with their first and last steps.
struct Trace {
  struct Piece {
    int lane;
    double from, to;
    int row;
    bool matched;
  };
  std::string title;
  int lanes;
  double steps;
  std::vector<Piece> pieces;
};

/// Each as an <svg> element that takes its colours from kStyle.
std::string draw(const Curves& plot);
std::string draw(const Bars& plot);
std::string draw(const HeatMap& plot);
std::string draw(const Trace& plot);

/// The plots, one below the other, as an SVG file with a line of text at the bottom.
std::string svg_file(std::span<const Curves> plots, const std::string& note);

/// The style sheet of all plots, for light and dark.
extern const char* const kStyle;

/// 1500000 as "1.5 M".
std::string short_number(double value);

/// Text for XML and HTML.
std::string escape(const std::string& text);

}  // namespace lanewise::cli::plot
