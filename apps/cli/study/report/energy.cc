#include <fmt/format.h>

#include "study/report/chapters.h"

namespace lanewise::cli::study {

namespace {

std::string joules_text(double joules) {
  if (joules >= 1) return fmt::format("{:.3g} J", joules);
  if (joules >= 1e-3) return fmt::format("{:.3g} mJ", joules * 1e3);
  return joules >= 1e-6 ? fmt::format("{:.3g} µJ", joules * 1e6) : fmt::format("{:.3g} nJ", joules * 1e9);
}

std::vector<std::string> row_of(const Json& group, const Json& level) {
  const auto name = level["level"].get<std::string>();
  const double processor = number(level, "joules_processor");
  const double gpu = is_on_gpu(name) ? number(level, "joules_gpu") : 0;  // else it is idle
  const auto text = [](double joules) { return joules > 0 ? joules_text(joules) : std::string("–"); };
  const double sum = processor + gpu, rows = number(group, "rows");
  return {group["title"].get<std::string>(),
          name,
          time_text(number(level, "seconds")),
          text(processor),
          text(gpu),
          sum > 0 && rows > 0 ? joules_text(sum / rows) : "–"};
}

}  // namespace

void write_energy(Page& page, const Results& results) {
  page.chapter("Energy");
  const auto why = [&](const char* name) { return results.machine().value(name, std::string()); };
  for (const auto& [what, reason] :
       {std::pair("the processor", why("no_processor_energy")), std::pair("a GPU", why("no_gpu_energy"))}) {
    if (!reason.empty())
      page.text(fmt::format("Energy of {}: not readable here, {}.", what, reason_text(reason)));
  }
  Cells cells{{"work", "level", "time", "processor", "GPU", "for each row"}, {}};
  for (const char* part : {"strings", "operators", "index", "pram"}) {
    for (const Json* group : results.groups(part, "energy")) {
      for (const Json& level : (*group)["levels"]) {
        std::vector<std::string> row = row_of(*group, level);
        if (row.back() != "–") cells.rows.push_back(std::move(row));
      }
    }
  }
  if (cells.rows.empty()) {
    return page.text(
        "No energy was measured. Where counters are readable, each main line is repeated for a second "
        "between two readings, and the table has joules for each run and row.");
  }
  page.table(
      "Energy of one run: all packages of the processor (RAPL) and the whole card (NVML), idle power "
      "included; each level is repeated for a second.",
      without_empty_columns(cells));
  page.text(
      "A level that is twice as fast at the same power needs half the energy: idle units are not free. "
      "Several cores use more power than one, but end sooner. For a GPU the processor's share is that of a "
      "host that waits.");
}

}  // namespace lanewise::cli::study
