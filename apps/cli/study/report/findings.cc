#include "study/report/findings.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "study/report/chapters.h"
#include "study/report/gpu.h"

namespace lanewise::cli::study {

double range_over(const Groups& groups, const std::string& name) {
  double least = INFINITY, most = 0;
  for (const Json* group : groups) {
    const Json* level = level_of(*group, name);
    if (level != nullptr)
      least = std::min(least, number(*level, "seconds")), most = std::max(most, number(*level, "seconds"));
  }
  return most > 0 ? most / least : 0;
}

namespace {

/// The share at which a level is slowest.
double slowest_at(const Groups& groups, const std::string& name) {
  double most = 0, at = 0;
  for (const Json* group : groups) {
    const Json* level = level_of(*group, name);
    if (level != nullptr && number(*level, "seconds") > most)
      most = number(*level, "seconds"), at = number(*group, "selectivity");
  }
  return at;
}

}  // namespace

void write_findings(Page& page, const Results& results) {
  const Groups groups = results.groups("operators", "selectivity");
  if (groups.empty()) return;
  page.section("The three findings of 2019");
  const Json& group = *groups[groups.size() / 2];
  const auto rate = [&](const char* name) {
    const Json* level = level_of(group, name);
    return level == nullptr ? 0 : gb_per_second(group, number(*level, "seconds"));
  };
  Cells cells{{"finding", "verdict", "here", "why"}, {}, false};
  // A level follows the misses if it is slowest where they are most frequent.
  const auto follows = [&](const std::string& name) {
    const double peak = slowest_at(groups, name);
    return range_over(groups, name) > kFollows && peak >= 30 && peak <= 70;
  };
  const std::string jumping = level_of(group, "scalar -O0") != nullptr ? "scalar -O0" : "branching";
  const bool others_follow = follows("scalar") || follows("avx2");
  std::string here;
  for (const std::string& name : {jumping, std::string("scalar"), std::string("avx2")}) {
    if (range_over(groups, name) > 0)
      here += fmt::format("{}{}: {:.2f} ×, slowest at {:g} %", here.empty() ? "" : "; ", name,
                          range_over(groups, name), slowest_at(groups, name));
  }
  cells.rows.push_back(
      {"A filter that jumps for each row follows branch misses over selectivity; scalar -O3, AVX and the "
       "GPU are flat",
       follows(jumping) && !others_follow ? "confirmed" : "refuted", here,
       !follows(jumping) ? "this processor predicts the jump, or other work hid it"
       : others_follow
           ? "a level without jumps is slowest there, too"
           : "the predictor fails most where half of the rows are selected; the other levels have no jump "
             "to predict, and what differs there is the machine's other work"});
  const double simd = rate("avx2"), scalar = rate("scalar");
  cells.rows.push_back(
      {"Vectors take half the time of scalar -O3", simd > 0 && simd / scalar > 1.8 ? "confirmed" : "refuted",
       simd > 0 ? fmt::format("{:.2f} GB/s against {:.2f}: {:.1f} ×; the compiler's own vectors: {:.2f} GB/s",
                              simd, scalar, simd / scalar, rate("auto"))
                : "no vectors here",
       simd > 0.8 * results.machine("read_rate") / 1e9
           ? "vectors reach the memory's rate of one core, which bounds the gain"
           : "vectors need fewer instructions for each row, and do not reach the memory's rate yet"});
  const Groups device = results.groups("operators", "gpu");
  const Json* const half = device.empty() ? nullptr : device[device.size() / 2];
  const Json* const kernel = half == nullptr ? nullptr : level_of(*half, "gpu kernel");
  if (kernel == nullptr) {
    cells.rows.push_back({"A GPU wins on kernel time, and the transfer decides", "not measured",
                          results.has_gpu() ? "the GPU failed; see above" : "no GPU on this machine", "–"});
  } else {
    const Json* cores = nullptr;
    for (const Json& level : (*half)["levels"]) {
      if (number(level, "seconds") > 0 && !level["level"].get<std::string>().starts_with("gpu"))
        cores = &level;
    }
    const Json* copied = nullptr;
    for (const char* name : {"gpu, pageable copies", "gpu, staged copies", "gpu, pinned copies"}) {
      const Json* const level = level_of(*half, name);
      if (level != nullptr && (copied == nullptr || number(*level, "seconds") < number(*copied, "seconds")))
        copied = level;
    }
    const double host = cores == nullptr ? 0 : number(*cores, "seconds"), alone = number(*kernel, "seconds"),
                 whole = copied == nullptr ? 0 : number(*copied, "seconds");
    const bool wins = alone<host, loses = whole> host;
    cells.rows.push_back(
        {"A GPU wins on kernel time, and the transfer decides", wins && loses ? "confirmed" : "refuted",
         fmt::format("kernel {}, with the fastest copies {}, all cores {}", time_text(alone),
                     time_text(whole), time_text(host)),
         fmt::format("the card's memory reads {:.0f} GB/s, all cores {:.0f}, and the copy in runs at "
                     "{:.0f}: the kernel {}, and with copies the GPU {}. A column that stays on the card "
                     "does not pay for them",
                     card_rate(results) / 1e9, results.machine("read_rate_all") / 1e9,
                     copied == nullptr ? 0 : number(*copied, "copied_in") / step_of(*copied, "copy in") / 1e9,
                     wins ? "wins" : "does not win", loses ? "loses" : "still wins over all cores")});
  }
  page.table("Findings, confirmed or refuted.", cells);
  page.table("Roofline: what bounds a filter of int32.",
             {{"machine", "memory, GB/s of one core", "all cores", "values/s at most, one core"},
              {{"2019: i7-4702MQ, 2 x DDR3-1600", "8.9 (the AVX filter's rate)", "25.6 (by its data sheet)",
                "2.2 G"},
               {results.machine()["processor"].get<std::string>(),
                fmt::format("{:.1f} (a plain loop)", results.machine("read_rate") / 1e9),
                fmt::format("{:.1f}", results.machine("read_rate_all") / 1e9),
                fmt::format("{:.1f} G", results.machine("read_rate") / 4e9)}}});
}

}  // namespace lanewise::cli::study
