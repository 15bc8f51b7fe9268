#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "study/plot/drawing.h"

namespace lanewise::cli::plot {

namespace {

/// The positions of values on an axis, and its ticks.
class Scale {
 public:
  Scale(const Axis& axis, double least, double most) : logarithmic_(axis.scale == Axis::logarithmic) {
    if (logarithmic_) {
      low_ = std::log10(least), high_ = std::log10(most);
      if (high_ - low_ < 0.1) low_ -= 0.15, high_ += 0.15;
      make_log_ticks(least, most);
      return;
    }
    low_ = std::min(least, 0.0), high_ = most > low_ ? most : low_ + 1;
    const double step = step_for(high_ - low_);
    high_ = std::ceil(high_ / step - 1e-9) * step;
    for (int i = 0; low_ + i * step <= high_ + step / 100; ++i)
      ticks_.push_back(std::round((low_ / step + i) * 1e6) * step / 1e6);
  }
  /// 0 to 1.
  double at(double value) const {
    return ((logarithmic_ ? std::log10(value) : value) - low_) / (high_ - low_);
  }
  const std::vector<double>& ticks() const { return ticks_; }

 private:
  void make_log_ticks(double least, double most) {
    const double decades = std::log10(most / least);
    const auto keep = [&](double value) {
      if (value >= least * 0.999 && value <= most * 1.001) ticks_.push_back(value);
    };
    if (decades <= 3.2 && std::log2(least) == std::round(std::log2(least))) {
      for (int i = 0; std::ldexp(least, i) <= most * 1.001; ++i) ticks_.push_back(std::ldexp(least, i));
      return;
    }
    const auto last = static_cast<int>(std::floor(std::log10(most)));
    for (auto power = static_cast<int>(std::floor(std::log10(least))); power <= last; ++power) {
      for (const double factor : {1.0, 2.0, 5.0}) {
        if (factor == 1 || decades < 2.5) keep(factor * std::pow(10, power));
      }
    }
  }

  bool logarithmic_;
  double low_ = 0, high_ = 1;
  std::vector<double> ticks_;
};

/// The least and the greatest value of an axis.
std::pair<double, double> bounds(const Curves& plot, bool of_x) {
  double least = INFINITY, most = -INFINITY;
  for (const Series& series : plot.series) {
    for (const Point& point : series.points) {
      least = std::min(least, of_x ? point.x : point.low);
      most = std::max(most, of_x ? point.x : point.high);
    }
  }
  return least <= most ? std::pair(least, most) : std::pair(1.0, 2.0);
}

class CurvesDrawing {
 public:
  static constexpr double kHeight = 400;

  explicit CurvesDrawing(const Curves& plot)
      : plot_(plot),
        x_(plot.x, bounds(plot, true).first, bounds(plot, true).second),
        y_(plot.y, bounds(plot, false).first, bounds(plot, false).second),
        out_(kHeight, plot.title) {}

  std::string draw() {
    draw_axes();
    for (const Mark& mark : plot_.marks) {
      out_.rule(at_x(mark.x), kTop, at_x(mark.x), kHeight - kBottom, "mark");
      out_.text(at_x(mark.x) + 4, kTop - 6, "small", mark.name);
    }
    draw_lines();
    draw_names();
    return out_.finish();
  }

 private:
  static constexpr double kLeft = 74, kRight = 230, kTop = 84, kBottom = 56;
  static constexpr double kLabel = 15;  // between two names of lines

  double at_x(double x) const { return kLeft + x_.at(x) * (kWidth - kLeft - kRight); }
  double at_y(double y) const { return kHeight - kBottom - y_.at(y) * (kHeight - kTop - kBottom); }

  void draw_axes() {
    const double bottom = kHeight - kBottom, right = kWidth - kRight;
    out_.open("axis y");
    for (const double tick : y_.ticks()) {
      out_.rule(kLeft, at_y(tick), right, at_y(tick), "grid");
      out_.text(kLeft - 8, at_y(tick) + 4, "end", short_number(tick));
    }
    out_.text(16, kTop - 18, "label", name_of(plot_.y));
    out_.close();
    out_.open("axis x");
    out_.rule(kLeft, bottom, right, bottom, "rule");
    const bool doubling = x_.ticks().size() > 8;
    for (size_t i = 0; i < x_.ticks().size(); ++i) {
      const double tick = x_.ticks()[i];
      out_.rule(at_x(tick), bottom, at_x(tick), bottom + 5, "rule");
      if (!doubling || i % 2 == 0) out_.text(at_x(tick), bottom + 20, "middle", short_number(tick));
    }
    out_.text((kLeft + right) / 2, bottom + 42, "middle label", name_of(plot_.x));
    out_.close();
  }

  void draw_lines() {
    static constexpr const char* kKinds[] = {"", " limit", " published"};
    for (size_t i = 0; i < plot_.series.size(); ++i) {
      const Series& series = plot_.series[i];
      std::string path;
      for (const Point& point : series.points) {
        path += fmt::format("{}{:.1f} {:.1f}", path.empty() ? "M" : " L", at_x(point.x), at_y(point.y));
      }
      if (path.empty()) continue;
      out_.add(fmt::format("<path d=\"{}\" class=\"line s{}{}{}\"/>\n", path, i % kColours,
                           kKinds[series.kind], series.kind == Series::measured ? again(i) : ""));
      if (series.kind != Series::measured) continue;
      for (const Point& point : series.points) {
        const double x = at_x(point.x);
        if (point.high > point.low) {
          out_.rule(x, at_y(point.low), x, at_y(point.high), fmt::format("s{}", i % kColours));
        }
        out_.add(
            fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"3\" class=\"f{}{}\"><title>{}: "
                        "{:.4g}</title></circle>\n",
                        x, at_y(point.y), i % kColours, again(i), escape(series.name), point.y));
      }
    }
  }

  /// Lines for which no colour is left are dashed.
  static const char* again(size_t series) { return series < kColours ? "" : " again"; }

  /// Names at the right ends of the lines, moved apart where they would overlap.
  void draw_names() {
    struct Name {
      double y;
      size_t series;
    };
    std::vector<Name> names;
    for (size_t i = 0; i < plot_.series.size(); ++i) {
      if (!plot_.series[i].points.empty()) names.push_back({at_y(plot_.series[i].points.back().y), i});
    }
    std::ranges::sort(names, {}, &Name::y);
    for (size_t i = 1; i < names.size(); ++i) names[i].y = std::max(names[i].y, names[i - 1].y + kLabel);
    for (size_t i = names.size(); i-- > 0;) {
      const double limit = i + 1 == names.size() ? kHeight - kBottom : names[i + 1].y - kLabel;
      names[i].y = std::min(names[i].y, limit);
    }
    out_.open("legend");
    for (const Name& name : names) {
      const Point& last = plot_.series[name.series].points.back();
      out_.add(fmt::format("<path d=\"M{:.1f} {:.1f} L{:.1f} {:.1f}\" class=\"s{}\" opacity=\"0.4\"/>\n",
                           at_x(last.x) + 5, at_y(last.y), kWidth - kRight + 16, name.y,
                           name.series % kColours));
      out_.text(kWidth - kRight + 20, name.y + 4, fmt::format("name f{}", name.series % kColours),
                plot_.series[name.series].name);
    }
    out_.close();
  }

  const Curves& plot_;
  const Scale x_, y_;
  Drawing out_;
};

}  // namespace

std::string draw(const Curves& plot) { return CurvesDrawing(plot).draw(); }

std::string svg_file(std::span<const Curves> plots, const std::string& note) {
  constexpr double kHeight = CurvesDrawing::kHeight;
  const double height = kHeight * static_cast<double>(plots.size()) + 34;
  std::string out = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"plot\" width=\"{0:.0f}\" height=\"{1:.0f}\" "
      "viewBox=\"0 0 {0:.0f} "
      "{1:.0f}\">\n<style>{2}</style>\n<rect width=\"100%\" height=\"100%\" style=\"fill: "
      "var(--ground)\"/>\n",
      kWidth, height, kStyle);
  for (size_t i = 0; i < plots.size(); ++i) {
    out += fmt::format("<g transform=\"translate(0 {:.0f})\">\n{}</g>\n", kHeight * static_cast<double>(i),
                       draw(plots[i]));
  }
  return out + fmt::format("<text x=\"16\" y=\"{:.0f}\" class=\"note\">{}</text>\n</svg>\n", height - 14,
                           escape(note));
}

}  // namespace lanewise::cli::plot
