#include "bench/svg.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace lanewise::cli::bench {

namespace {

// Sizes in pixels.
constexpr double kWidth = 860, kHeight = 400;  // of a panel
constexpr double kLeft = 64, kRight = 220;     // of its axes
constexpr double kTop = 56, kBottom = 56, kNote = 34;
constexpr double kLabel = 15;  // between two names of lines

// Okabe and Ito's colours, which people with any colour vision tell apart.
constexpr const char* kColours[] = {"#0072b2", "#d55e00", "#009e73", "#cc79a7",
                                    "#e69f00", "#56b4e9", "#555555", "#000000"};

constexpr const char* kStyle = R"(<style>
text { font: 13px system-ui, "Segoe UI", "DejaVu Sans", sans-serif; fill: #444 }
.title { font-size: 16px; font-weight: 600; fill: #111 }
.note { font-size: 11px; fill: #777 }
.grid { stroke: #e6e6e6; stroke-width: 1 }
.axis { stroke: #999; stroke-width: 1 }
.line { fill: none; stroke-width: 2; stroke-linejoin: round; stroke-linecap: round }
.name { font-size: 12px }
.middle { text-anchor: middle }
.end { text-anchor: end }
</style>
)";

std::string escape(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == '&')
      out += "&amp;";
    else if (c == '<')
      out += "&lt;";
    else if (c == '>')
      out += "&gt;";
    else
      out += c;
  }
  return out;
}

/// 1, 2 or 5 times a power of ten, so that about five steps reach `most`.
double step_for(double most) {
  const double rough = most / 5, power = std::pow(10, std::floor(std::log10(rough)));
  for (const double factor : {1.0, 2.0, 5.0}) {
    if (factor * power >= rough) return factor * power;
  }
  return 10 * power;
}

/// Draws one panel with its upper left corner at (0, top).
class Drawing {
 public:
  Drawing(const Panel& panel, double top) : panel_(panel), top_(top) {
    for (const Series& series : panel.series) {
      for (const auto& [x, y] : series.points) {
        least_ = std::min(least_, scaled(x));
        most_ = std::max(most_, scaled(x));
        highest_ = std::max(highest_, y);
      }
    }
    if (!panel.doubling) least_ = std::min(least_, 0.0);
    if (most_ <= least_) most_ = least_ + 1;
    step_ = step_for(highest_ > 0 ? highest_ : 1);
    highest_ = std::max(std::ceil(highest_ / step_ - 1e-9), 1.0) * step_;
  }

  std::string draw() {
    // "GB/s over threshold – regex ...": what follows the dash may be long.
    static constexpr std::string_view kDash = " – ";
    const size_t dash = panel_.title.find(kDash);
    text(kLeft, top_ + 26, "title", panel_.title.substr(0, dash));
    if (dash != std::string::npos) text(kLeft, top_ + 44, "name", panel_.title.substr(dash + kDash.size()));
    draw_axes();
    draw_lines();
    return std::move(out_);
  }

 private:
  double scaled(double x) const { return panel_.doubling ? std::log2(x) : x; }
  double at_x(double x) const {
    return kLeft + (scaled(x) - least_) / (most_ - least_) * (kWidth - kLeft - kRight);
  }
  double at_y(double y) const { return top_ + kHeight - kBottom - y / highest_ * (kHeight - kTop - kBottom); }

  void text(double x, double y, const char* kind, const std::string& what) {
    out_ += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" class=\"{}\">{}</text>\n", x, y, kind, escape(what));
  }
  void rule(double x1, double y1, double x2, double y2, const char* kind) {
    out_ += fmt::format("<line x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\" class=\"{}\"/>\n", x1,
                        y1, x2, y2, kind);
  }

  void draw_axes() {
    const double bottom = at_y(0), right = kWidth - kRight;
    const int rules = static_cast<int>(std::lround(highest_ / step_));
    for (int i = 0; i <= rules; ++i) {
      const double y = i * step_;
      rule(kLeft, at_y(y), right, at_y(y), i == 0 ? "axis" : "grid");
      text(kLeft - 8, at_y(y) + 4, "end", fmt::format("{:g}", std::round(y * 1e6) / 1e6));
    }
    for (const double x : ticks()) {
      rule(at_x(x), bottom, at_x(x), bottom + 5, "axis");
      text(at_x(x), bottom + 20, "middle", fmt::format("{:g}", x));
    }
    text((kLeft + right) / 2, bottom + 40, "middle", panel_.x);
    text(kLeft - 8, top_ + kTop - 10, "end", panel_.y);
  }

  std::vector<double> ticks() const {
    std::vector<double> marks;
    if (panel_.doubling) {
      const int first = static_cast<int>(std::ceil(least_)), last = static_cast<int>(std::floor(most_));
      for (int power = first; power <= last; ++power) marks.push_back(std::exp2(power));
      return marks;
    }
    const double step = step_for(most_ - least_);
    const int last = static_cast<int>(std::floor((most_ - least_) / step * 1.001));
    for (int i = 0; i <= last; ++i) marks.push_back(least_ + i * step);
    return marks;
  }

  /// Lines, their points, and their names at the right ends, moved apart where they would overlap.
  void draw_lines() {
    struct Name {
      double y;
      size_t series;
    };
    std::vector<Name> names;
    for (size_t i = 0; i < panel_.series.size(); ++i) {
      const auto& points = panel_.series[i].points;
      if (points.empty()) continue;
      std::string path;
      for (const auto& [x, y] : points) {
        path += fmt::format("{}{:.1f} {:.1f}", path.empty() ? "M" : " L", at_x(x), at_y(y));
      }
      out_ += fmt::format("<path d=\"{}\" class=\"line\" stroke=\"{}\"{}/>\n", path, colour(i),
                          i < std::size(kColours) ? "" : " stroke-dasharray=\"7 5\"");
      for (const auto& [x, y] : points) {
        out_ += fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"3\" fill=\"{}\"/>\n", at_x(x), at_y(y),
                            colour(i));
      }
      names.push_back({at_y(points.back().second), i});
    }
    std::ranges::sort(names, {}, &Name::y);
    for (size_t i = 1; i < names.size(); ++i) names[i].y = std::max(names[i].y, names[i - 1].y + kLabel);
    const double lowest = at_y(0);
    for (size_t i = names.size(); i-- > 0;) {
      const double limit = i + 1 == names.size() ? lowest : names[i + 1].y - kLabel;
      names[i].y = std::min(names[i].y, limit);
    }
    for (const Name& name : names) {
      const auto& [x, y] = panel_.series[name.series].points.back();
      const bool ends_early = at_x(x) < kWidth - kRight - 1;
      out_ += fmt::format("<path d=\"M{:.1f} {:.1f} L{:.1f} {:.1f}\" stroke=\"{}\" opacity=\"0.4\"{}/>\n",
                          at_x(x) + 5, at_y(y), kWidth - kRight + 16, name.y, colour(name.series),
                          ends_early ? " stroke-dasharray=\"1 5\"" : "");
      out_ += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" class=\"name\" style=\"fill:{}\">{}</text>\n",
                          kWidth - kRight + 20, name.y + 4, colour(name.series),
                          escape(panel_.series[name.series].name));
    }
  }

  static const char* colour(size_t series) { return kColours[series % std::size(kColours)]; }

  const Panel& panel_;
  double top_;
  double least_ = INFINITY, most_ = -INFINITY;  // of x, scaled
  double highest_ = 0, step_ = 1;               // of y
  std::string out_;
};

}  // namespace

std::string svg(std::span<const Panel> panels, const std::string& note) {
  const double height = kHeight * static_cast<double>(panels.size()) + kNote;
  std::string out = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0:.0f}\" height=\"{1:.0f}\" viewBox=\"0 0 {0:.0f} "
      "{1:.0f}\">\n{2}<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n",
      kWidth, height, kStyle);
  double top = 0;
  for (const Panel& panel : panels) {
    out += Drawing(panel, top).draw();
    top += kHeight;
  }
  out += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" class=\"note\">{}</text>\n</svg>\n", kLeft,
                     height - kNote / 2, escape(note));
  return out;
}

}  // namespace lanewise::cli::bench
