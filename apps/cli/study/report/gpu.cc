#include "study/report/gpu.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

namespace lanewise::cli::study {

const Json* card_of(const Results& results) {
  for (const char* part : {"operators", "strings"}) {
    for (const Json* group : results.groups(part, "card")) {
      if (group->contains("card")) return &(*group)["card"];
    }
  }
  return nullptr;
}

double card_rate(const Results& results) {
  const Json* const card = card_of(results);
  return card == nullptr ? 0 : number(*card, "read_rate");
}

void add_card_limit(std::vector<plot::Series>& series, const Results& results) {
  if (const double rate = card_rate(results); rate > 0)
    series.push_back(limit(series, "limit: the card reads", rate / 1e9));
}

void write_not_measured(Page& page, const Groups& groups) {
  std::map<std::string, std::vector<std::string>> levels;  // by reason
  for (const Json* group : groups) {
    for (const Json& level : (*group)["levels"]) {
      const auto name = level["level"].get<std::string>();
      if (!level.contains("not_offered") || !name.starts_with("gpu")) continue;
      auto& names = levels[level["not_offered"].get<std::string>()];
      if (std::ranges::count(names, name) == 0) names.push_back(name);
    }
  }
  for (const auto& [reason, names] : levels) {
    std::string text;
    for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
    page.warn(fmt::format("Not measured: {}. The reason: {}.", text, reason));
  }
}

bool has_level(const Groups& groups, const std::string& level) {
  return std::ranges::any_of(groups, [&](const Json* group) { return level_of(*group, level) != nullptr; });
}

double step_of(const Json& level, const std::string& step) {
  return level.contains("steps") ? number(level["steps"], step) : 0;
}

std::string Range::text(const char* unit) const {
  if (empty()) return "–";
  if (most_ - least_ < 0.02 * std::abs(most_)) return digits_text(most_) + unit;
  return fmt::format("{} to {}{}", digits_text(least_), digits_text(most_), unit);
}

double correlation(const std::vector<double>& a, const std::vector<double>& b) {
  const auto count = static_cast<double>(a.size());
  double sum_a = 0, sum_b = 0, squares_a = 0, squares_b = 0, products = 0;
  for (size_t i = 0; i < a.size(); ++i) {
    sum_a += a[i], sum_b += b[i];
    squares_a += a[i] * a[i], squares_b += b[i] * b[i], products += a[i] * b[i];
  }
  const double spread = std::sqrt((squares_a - sum_a * sum_a / count) * (squares_b - sum_b * sum_b / count));
  return spread > 0 ? (products - sum_a * sum_b / count) / spread : 0;
}

}  // namespace lanewise::cli::study
