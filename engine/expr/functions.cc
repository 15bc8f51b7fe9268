#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "expr/function.h"
#include "expr/function_groups.h"

namespace lanewise {

namespace {

std::vector<Function> sorted_table() {
  std::vector<Function> table;
  for (const auto part : {comparison_functions(), arithmetic_functions(), math_functions(), date_functions(),
                          string_functions(), pattern_functions(), raise_functions()}) {
    table.insert(table.end(), part.begin(), part.end());
  }
  std::stable_sort(table.begin(), table.end(),
                   [](const Function& a, const Function& b) { return a.name < b.name; });
  return table;
}

/// Other names of functions, sorted.
constexpr std::array kAliases = std::to_array<std::pair<std::string_view, std::string_view>>({
    {"!=", "<>"},
    {"**", "pow"},
    {"==", "="},
    {"@", "abs"},
    {"^", "pow"},
    {"add", "+"},
    {"ceiling", "ceil"},
    {"date_add", "+"},
    {"datediff", "date_diff"},
    {"datepart", "date_part"},
    {"datesub", "date_sub"},
    {"datetrunc", "date_trunc"},
    {"dayofmonth", "day"},
    {"divide", "//"},
    {"mod", "%"},
    {"multiply", "*"},
    {"power", "pow"},
    {"subtract", "-"},
    {"weekday", "dayofweek"},
    {"weekofyear", "week"},
});

}  // namespace

std::span<const Function> functions() {
  static const std::vector<Function> table = sorted_table();
  return table;
}

const Function* find_function(std::string_view name, std::span<const Type> args) {
  const auto alias =
      std::lower_bound(kAliases.begin(), kAliases.end(), name,
                       [](const auto& entry, std::string_view wanted) { return entry.first < wanted; });
  if (alias != kAliases.end() && alias->first == name) name = alias->second;
  const std::span<const Function> table = functions();
  auto found =
      std::lower_bound(table.begin(), table.end(), name,
                       [](const Function& entry, std::string_view wanted) { return entry.name < wanted; });
  for (; found != table.end() && found->name == name; ++found) {
    if (found->resolve(args)) return &*found;
  }
  return nullptr;
}

}  // namespace lanewise
