#include <fmt/format.h>

#include <algorithm>

#include "study/plot/drawing.h"

namespace lanewise::cli::plot {

std::string draw(const Bars& plot) {
  constexpr double kLeft = 220, kRight = 60, kTop = 76, kBottom = 54, kBar = 13, kGap = 12;
  const size_t bars = plot.series.size();
  const double group = kBar * static_cast<double>(bars) + kGap;
  const double bottom = kTop + group * static_cast<double>(plot.groups.size());
  double most = plot.limit;
  for (const auto& values : plot.values) most = std::max(most, *std::ranges::max_element(values));
  const double step = step_for(most > 0 ? most : 1);
  const auto at = [&](double value) { return kLeft + value / most * (kWidth - kLeft - kRight); };
  Drawing out(bottom + kBottom, plot.title);
  double legend = 16;
  out.open("legend");
  for (size_t i = 0; i < bars; ++i) {
    out.box(legend, 36, 10, 10, fmt::format("f{}", i % kColours));
    out.text(legend + 14, 45, "name", plot.series[i]);
    legend += 30 + 7.0 * static_cast<double>(plot.series[i].size());
  }
  out.close();
  out.open("axis x");
  for (int i = 0; i * step <= most * 1.0001; ++i) {
    const double tick = i * step;
    out.rule(at(tick), kTop - 4, at(tick), bottom, "grid");
    out.text(at(tick), bottom + 16, "middle", short_number(tick));
  }
  out.text((kLeft + kWidth - kRight) / 2, bottom + 38, "middle label", name_of(plot.x));
  out.close();
  out.open("axis y");
  for (size_t g = 0; g < plot.groups.size(); ++g) {
    out.text(kLeft - 8, kTop + group * (static_cast<double>(g) + 0.5), "end name", plot.groups[g]);
  }
  out.rule(kLeft, kTop - 4, kLeft, bottom, "rule");
  out.close();
  for (size_t g = 0; g < plot.groups.size(); ++g) {
    for (size_t i = 0; i < bars; ++i) {
      const double value = plot.values[g][i];
      const double y = kTop + group * static_cast<double>(g) + kBar * static_cast<double>(i);
      if (value < 0) continue;
      out.box(kLeft, y, at(value) - kLeft, kBar - 2, fmt::format("f{}", i % kColours),
              fmt::format("{}: {:.4g}", plot.series[i], value));
      out.text(at(value) + 4, y + kBar - 3, "small", short_number(value));
    }
  }
  if (plot.limit > 0) {
    out.rule(at(plot.limit), kTop - 4, at(plot.limit), bottom, "mark");
    out.text(at(plot.limit) - 4, kTop - 6, "small end", plot.limit_name);
  }
  return out.finish();
}

}  // namespace lanewise::cli::plot
