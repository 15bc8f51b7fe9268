#include "pram/print.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "pram/inputs/numbers.h"

namespace lanewise::cli::pram_command {

namespace {

using Json = nlohmann::ordered_json;

Json json_of(pram::Type type, pram::Word word) {
  if (type == pram::Type::kBool) return word != 0;
  if (type != pram::Type::kReal) return word;
  const double value = pram::real_of(word);
  if (std::isfinite(value)) return value;
  return pram::to_text(type, word);  // JSON has no infinity
}

Json json_of(const pram::Array& array) {
  if (array.extents.empty()) return json_of(array.type, array.words[0]);
  Json cells = Json::array();
  if (array.extents.size() == 1) {
    for (const pram::Word word : array.words) cells.push_back(json_of(array.type, word));
    return cells;
  }
  const auto columns = static_cast<size_t>(array.extents[1]);
  for (size_t row = 0; row < static_cast<size_t>(array.extents[0]); ++row) {
    Json values = Json::array();
    for (size_t i = 0; i < columns; ++i)
      values.push_back(json_of(array.type, array.words[row * columns + i]));
    cells.push_back(std::move(values));
  }
  return cells;
}

}  // namespace

std::string result_text(const pram::Result& result) {
  std::string text;
  for (const auto& [name, array] : result.outputs) {
    const bool rows = array.extents.size() == 2;
    text += fmt::format("{} ={}{}\n", name, rows ? "\n" : " ", pram::write_numbers(array));
  }
  return text;
}

std::string result_json(const pram::Result& result, bool costs) {
  Json object = Json::object();
  for (const auto& [name, array] : result.outputs) object[name] = json_of(array);
  if (costs && !result.kernels.empty()) {
    Json kernels = Json::array();
    for (const pram::KernelCost& cost : result.kernels) {
      kernels.push_back({{"line", cost.line},
                         {"launches", cost.launches},
                         {"processors", cost.processors},
                         {"occupancy", cost.occupancy()},
                         {"lists", cost.lists},
                         {"bytes", cost.bytes},
                         {"seconds", cost.seconds}});
    }
    object["kernels"] = std::move(kernels);
  } else if (costs) {
    Json lines = Json::array();
    for (const auto& [line, cost] : result.cost.lines) {
      lines.push_back({{"line", line}, {"steps", cost.steps}, {"work", cost.work}, {"peak", cost.peak}});
    }
    const pram::Cost& cost = result.cost;
    object["cost"] = {{"steps", cost.steps},
                      {"work", cost.work},
                      {"depth", cost.depth},
                      {"peak", cost.peak},
                      {"lines", std::move(lines)}};
  }
  return object.dump() + "\n";
}

namespace {

/// The program; next to each line the text of `beside(number)`, `width` columns wide.
template <class F>
std::string annotated(const pram::Program& program, int width, F beside) {
  std::string text;
  std::string_view rest = program.text();
  for (uint32_t line = 1; !rest.empty(); ++line) {
    const size_t end = std::min(rest.find('\n'), rest.size());
    text += fmt::format("{:>{}} | {}\n", beside(line), width, rest.substr(0, end));
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return text;
}

}  // namespace

std::string cost_text(const pram::Program& program, const pram::Cost& cost) {
  return fmt::format("\n{:>10} {:>12} {:>10}\n", "steps", "work", "peak") +
         annotated(program, 34,
                   [&](uint32_t line) -> std::string {
                     const auto found = cost.lines.find(line);
                     if (found == cost.lines.end()) return "";
                     const pram::LineCost& own = found->second;
                     return fmt::format("{:>10} {:>12} {:>10}", own.steps, own.work, own.peak);
                   }) +
         fmt::format("{:>10} {:>12} {:>10} | in all; depth {}\n", cost.steps, cost.work, cost.peak,
                     cost.depth);
}

std::string kernel_text(const pram::Program& program, const std::vector<pram::KernelCost>& kernels) {
  const auto row = [](const pram::KernelCost& cost) {
    return fmt::format("{:>8} {:>12} {:>9.1f}% {:>7} {:>10.3f} {:>10.3f}", cost.launches, cost.processors,
                       cost.occupancy() * 100, cost.lists, static_cast<double>(cost.bytes) / 1e6,
                       cost.seconds * 1e3);
  };
  pram::KernelCost all;
  for (const pram::KernelCost& cost : kernels) all += cost;
  return fmt::format("\n{:>8} {:>12} {:>10} {:>7} {:>10} {:>10}\n", "launches", "processors", "occupancy",
                     "lists", "MB", "ms") +
         annotated(program, 62,
                   [&](uint32_t line) -> std::string {
                     for (const pram::KernelCost& cost : kernels) {
                       if (cost.line == line) return row(cost);
                     }
                     return "";
                   }) +
         row(all) + " | in all\n";
}

std::optional<std::pair<std::string, std::string>> first_difference(std::string_view name,
                                                                    const pram::Array& a,
                                                                    const pram::Array& b) {
  const auto at = std::ranges::mismatch(a.words, b.words).in1;
  if (at == a.words.end()) return std::nullopt;
  const auto cell = static_cast<size_t>(at - a.words.begin());
  std::string place(name);
  if (a.extents.size() == 1) place += fmt::format("[{}]", cell);
  if (a.extents.size() == 2) {
    const auto columns = static_cast<size_t>(a.extents[1]);
    place += fmt::format("[{}, {}]", cell / columns, cell % columns);
  }
  return std::pair{fmt::format("{} = {}", place, pram::to_text(a.type, a.words[cell])),
                   fmt::format("{} = {}", place, pram::to_text(b.type, b.words[cell]))};
}

std::string survey_text(const pram::Program& program, const pram::Survey& survey) {
  std::string text;
  for (const pram::Diagnostic& conflict : pram::conflicts(program, survey)) text += program.render(conflict);
  return text;
}

}  // namespace lanewise::cli::pram_command
