#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "study/plot/drawing.h"

namespace lanewise::cli::plot {

namespace {

/// Blue above the middle, orange below, white at it, on a logarithmic scale: 2 and 1/2 are equally strong.
std::string colour_of(double value, double middle, double most) {
  const double far = std::clamp(std::log(value / middle) / std::log(most), -1.0, 1.0);
  const auto mix = [&](int full) { return static_cast<int>(255 + (full - 255) * std::abs(far)); };
  return far > 0 ? fmt::format("rgb({},{},{})", mix(30), mix(120), mix(190))
                 : fmt::format("rgb({},{},{})", mix(220), mix(110), mix(30));
}

}  // namespace

std::string draw(const HeatMap& plot) {
  constexpr double kLeft = 200, kRight = 120, kTop = 86, kBottom = 54, kRow = 30;
  const double column = (kWidth - kLeft - kRight) / static_cast<double>(plot.columns.size());
  const double bottom = kTop + kRow * static_cast<double>(plot.rows.size());
  double most = 1.05;  // the farthest from the middle, as a factor
  for (const auto& row : plot.values) {
    for (const double value : row) {
      if (value > 0) most = std::max(most, std::max(value / plot.middle, plot.middle / value));
    }
  }
  Drawing out(bottom + kBottom, plot.title);
  out.open("axis y");
  out.text(16, kTop - 14, "label", name_of(plot.y));
  for (size_t r = 0; r < plot.rows.size(); ++r) {
    out.text(kLeft - 8, kTop + kRow * (static_cast<double>(r) + 0.5) + 4, "end name", plot.rows[r]);
  }
  out.close();
  out.open("axis x");
  for (size_t c = 0; c < plot.columns.size(); ++c) {
    out.text(kLeft + column * (static_cast<double>(c) + 0.5), bottom + 16, "middle small", plot.columns[c]);
  }
  out.text((kLeft + kWidth - kRight) / 2, bottom + 38, "middle label", name_of(plot.x));
  out.close();
  const auto cell = [&](double x, double y, double width, double height, double value) {
    const double far = std::abs(std::log(value / plot.middle) / std::log(most));
    out.add(fmt::format(
        "<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" style=\"fill: {}\"/>\n"
        "<text x=\"{:.1f}\" y=\"{:.1f}\" class=\"middle name\" style=\"fill: {}\">{:.3g}</text>\n",
        x, y, width, height, colour_of(value, plot.middle, most), x + width / 2, y + height / 2 + 4,
        far > 0.6 ? "#fff" : "#111", value));
  };
  for (size_t r = 0; r < plot.rows.size(); ++r) {
    for (size_t c = 0; c < plot.columns.size(); ++c) {
      const double value = plot.values[r][c];
      const double x = kLeft + column * static_cast<double>(c), y = kTop + kRow * static_cast<double>(r);
      if (value > 0) cell(x + 1, y + 1, column - 2, kRow - 2, value);
    }
  }
  out.open("legend");
  const double right = kWidth - kRight + 24;
  out.text(right, kTop - 14, "small", plot.unit);
  for (int i = 0; i < 5; ++i) {
    cell(right, kTop + 20.0 * i, 60, 19, plot.middle * std::pow(most, 1 - 0.5 * i));
  }
  out.close();
  return out.finish();
}

}  // namespace lanewise::cli::plot
