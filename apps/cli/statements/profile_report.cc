#include "statements/profile_report.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/size.h"
#include "output/display.h"
#include "output/result_writer.h"

namespace lanewise::cli {

namespace {

std::string duration(double seconds) {
  if (seconds < 1e-3) return fmt::format("{:.0f} µs", seconds * 1e6);
  if (seconds < 1) return fmt::format("{:.1f} ms", seconds * 1e3);
  return fmt::format("{:.2f} s", seconds);
}

std::string percent(double share) { return share < 0 ? "–" : fmt::format("{:.1f} %", share * 100); }

/// Left or right aligned in terminal cells (fmt counts characters).
std::string pad(const std::string& text, int width, bool right) {
  const auto spaces = static_cast<size_t>(std::max(width - display_width(text), 0));
  return right ? std::string(spaces, ' ') + text : text + std::string(spaces, ' ');
}

}  // namespace

std::string profile_report(const StatementResult& result, int width) {
  constexpr int kNumbers[] = {13, 13, 10, 10, 8, 10};
  const char* const heads[] = {"rows in", "rows out", "time", "bytes", "active", "occupancy"};
  std::string text = pad("operator", 22, false);
  for (int i = 0; i < 6; ++i) text += pad(heads[i], kNumbers[i], true);
  text += "  target\n";
  for (const ops::OperatorProfile& op : result.profile) {
    const double active =
        op.rows_in == 0 ? -1 : static_cast<double>(op.rows_out) / static_cast<double>(op.rows_in);
    const std::string cells[] = {with_commas(static_cast<int64_t>(op.rows_in)),
                                 with_commas(static_cast<int64_t>(op.rows_out)),
                                 duration(static_cast<double>(op.nanos) * 1e-9),
                                 op.bytes == 0 ? "–" : format_size(op.bytes),
                                 percent(active),
                                 percent(op.occupancy)};
    const std::string indent(static_cast<size_t>(op.depth) * 2, ' ');
    text += pad(fit(indent + op.name, 22), 22, false);
    for (int i = 0; i < 6; ++i) text += pad(cells[i], kNumbers[i], true);
    text += "  " + op.target + "\n";
    std::vector<std::string> lines = op.matchers;
    if (!op.details.empty()) lines.insert(lines.begin(), op.details);
    for (const std::string& keys : op.keys) lines.push_back("keys: " + keys);
    lines.insert(lines.end(), op.device.begin(), op.device.end());
    for (const std::string& line : lines)
      text += indent + "    " + fit(printable(line), width - 4 - op.depth * 2) + "\n";
  }
  return text;
}

std::string timing_report(const StatementResult& result) {
  std::string text =
      fmt::format("plan {}, run {}{}, by {}", duration(result.plan_seconds), duration(result.run_seconds),
                  result.engine != "lanewise" ? ""
                  : result.hot                ? ", columns in memory"
                                              : ", columns read",
                  result.engine);
  if (result.write_seconds)
    text += fmt::format("; rows written in {} by duckdb", duration(*result.write_seconds));
  if (result.pivot_seconds)
    text += fmt::format("; values of PIVOT found in {} by duckdb", duration(*result.pivot_seconds));
  if (!result.computed_by_duckdb.empty())
    text += fmt::format("; {} computed by duckdb", fmt::join(result.computed_by_duckdb, ", "));
  if (result.spilled != 0) text += fmt::format("; {} in temporary files", format_size(result.spilled));
  return text;
}

}  // namespace lanewise::cli
