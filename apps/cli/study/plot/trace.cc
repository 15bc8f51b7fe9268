#include <fmt/format.h>

#include "study/plot/drawing.h"

namespace lanewise::cli::plot {

std::string draw(const Trace& plot) {
  constexpr double kLeft = 90, kRight = 40, kTop = 62, kBottom = 54, kLane = 26;
  const double bottom = kTop + kLane * plot.lanes;
  const auto at = [&](double step) { return kLeft + step / plot.steps * (kWidth - kLeft - kRight); };
  Drawing out(bottom + kBottom, plot.title);
  out.open("legend");
  double x = 16;
  for (const auto& [kind, name] :
       {std::pair("f0", "a row that does not match"), std::pair("f2", "a row that matches"),
        std::pair("idle", "an idle lane")}) {
    out.box(x, 36, 10, 10, kind);
    out.text(x + 14, 45, "name", name);
    x += 200;
  }
  out.close();
  out.open("axis y");
  for (int lane = 0; lane < plot.lanes; ++lane) {
    out.text(kLeft - 8, kTop + kLane * (lane + 0.5) + 4, "end name", fmt::format("lane {}", lane));
    out.box(kLeft, kTop + kLane * lane + 2, at(plot.steps) - kLeft, kLane - 4, "idle");
  }
  out.close();
  out.open("axis x");
  const double step = step_for(plot.steps);
  for (int i = 0; i * step <= plot.steps; ++i) {
    const double tick = i * step;
    out.rule(at(tick), bottom, at(tick), bottom + 5, "rule");
    out.text(at(tick), bottom + 18, "middle", short_number(tick));
  }
  out.text((kLeft + kWidth - kRight) / 2, bottom + 40, "middle label", "time, steps of one byte");
  out.close();
  for (const Trace::Piece& piece : plot.pieces) {
    const double from = at(piece.from), to = at(piece.to), y = kTop + kLane * piece.lane;
    out.box(from + 0.5, y + 2, to - from - 1, kLane - 4, piece.matched ? "f2" : "f0",
            fmt::format("row {}", piece.row));
    if (to - from > 22) {
      out.add(fmt::format(
          "<text x=\"{:.1f}\" y=\"{:.1f}\" class=\"middle small\" style=\"fill: #fff\">{}</text>\n",
          (from + to) / 2, y + kLane / 2 + 4, piece.row));
    }
  }
  return out.finish();
}

}  // namespace lanewise::cli::plot
