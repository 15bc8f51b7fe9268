#include "study/plot/drawing.h"

#include <fmt/format.h>

#include <cmath>
#include <string_view>
#include <utility>

namespace lanewise::cli::plot {

// Okabe and Ito's colours, which people with any colour vision can distinguish.
const char* const kStyle = R"(
svg.plot { --ink: #444; --strong: #111; --faint: #e6e6e6; --axis: #999; --ground: #fff;
  --c0: #0072b2; --c1: #d55e00; --c2: #009e73; --c3: #cc79a7; --c4: #b8860b; --c5: #3a9bd0; --c6: #555; --c7: #000 }
@media screen and (prefers-color-scheme: dark) { svg.plot { --ink: #bbb; --strong: #eee; --faint: #333; --axis: #777;
  --ground: #16181c; --c0: #4aa8e0; --c1: #f08a45; --c2: #35c79b; --c3: #dd9fc1; --c4: #e6b422; --c5: #8fd0f5; --c6: #aaa; --c7: #fff } }
svg.plot text { font: 13px system-ui, "Segoe UI", "DejaVu Sans", sans-serif; fill: var(--ink) }
svg.plot .title { font-size: 15px; font-weight: 600; fill: var(--strong) }
svg.plot .note, svg.plot .small { font-size: 11px }
svg.plot .name { font-size: 12px }
svg.plot .grid { stroke: var(--faint) } svg.plot .rule { stroke: var(--axis) }
svg.plot .line { fill: none; stroke-width: 2; stroke-linejoin: round; stroke-linecap: round }
svg.plot .again { stroke-dasharray: 7 5 } svg.plot .limit { stroke-dasharray: 8 4; stroke-width: 1.5 } svg.plot .published { stroke-dasharray: 2 4 }
svg.plot .mark { stroke: var(--ink); stroke-dasharray: 3 3 }
svg.plot .middle { text-anchor: middle } svg.plot .end { text-anchor: end }
svg.plot .s0 { stroke: var(--c0) } svg.plot .s1 { stroke: var(--c1) } svg.plot .s2 { stroke: var(--c2) } svg.plot .s3 { stroke: var(--c3) }
svg.plot .s4 { stroke: var(--c4) } svg.plot .s5 { stroke: var(--c5) } svg.plot .s6 { stroke: var(--c6) } svg.plot .s7 { stroke: var(--c7) }
svg.plot .f0 { fill: var(--c0) } svg.plot .f1 { fill: var(--c1) } svg.plot .f2 { fill: var(--c2) } svg.plot .f3 { fill: var(--c3) }
svg.plot .f4 { fill: var(--c4) } svg.plot .f5 { fill: var(--c5) } svg.plot .f6 { fill: var(--c6) } svg.plot .f7 { fill: var(--c7) }
svg.plot .idle { fill: var(--faint) } svg.plot .cell text { fill: inherit }
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
    else if (c == '"')
      out += "&quot;";
    else
      out += c;
  }
  return out;
}

double step_for(double most) {
  const double rough = most / 5, power = std::pow(10, std::floor(std::log10(rough)));
  for (const double factor : {1.0, 2.0, 5.0}) {
    if (factor * power >= rough) return factor * power;
  }
  return 10 * power;
}

std::string name_of(const Axis& axis) {
  if (axis.label.empty()) return axis.unit;
  return axis.unit.empty() ? axis.label : axis.label + ", " + axis.unit;
}

std::string short_number(double value) {
  if (value < 1e4) return fmt::format("{:.4g}", value);
  for (const auto& [size, name] : {std::pair(1e9, " G"), std::pair(1e6, " M"), std::pair(1e3, " k")}) {
    if (value >= size) return fmt::format("{:.3g}{}", value / size, name);
  }
  return fmt::format("{:.3g}", value);
}

Drawing::Drawing(double height, const std::string& title)
    : out_(fmt::format(
          "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"plot\" width=\"{0:.0f}\" height=\"{1:.0f}\" "
          "viewBox=\"0 0 {0:.0f} {1:.0f}\" role=\"img\" aria-label=\"{2}\">\n",
          kWidth, height, escape(title))) {
  // "GB/s over threshold – regex ...": what follows the dash may be long.
  static constexpr std::string_view kDash = " – ";
  const size_t dash = title.find(kDash);
  text(16, 22, "title", title.substr(0, dash));
  if (dash != std::string::npos) text(16, 40, "name", title.substr(dash + kDash.size()));
}

void Drawing::text(double x, double y, const std::string& kind, const std::string& what) {
  out_ += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" class=\"{}\">{}</text>\n", x, y, kind, escape(what));
}

void Drawing::rule(double x1, double y1, double x2, double y2, const std::string& kind) {
  out_ += fmt::format("<line x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\" class=\"{}\"/>\n", x1,
                      y1, x2, y2, kind);
}

void Drawing::box(double x, double y, double width, double height, const std::string& kind,
                  const std::string& tip) {
  out_ += fmt::format("<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" class=\"{}\"", x, y,
                      width, height, kind);
  out_ += tip.empty() ? "/>\n" : fmt::format("><title>{}</title></rect>\n", escape(tip));
}

void Drawing::open(const std::string& kind) { out_ += fmt::format("<g class=\"{}\">\n", kind); }
void Drawing::close() { out_ += "</g>\n"; }
std::string Drawing::finish() { return std::move(out_) + "</svg>\n"; }

}  // namespace lanewise::cli::plot
