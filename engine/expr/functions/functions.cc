#include "expr/functions/functions.h"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "expr/arithmetic/functions.h"
#include "expr/comparisons/functions.h"
#include "expr/dates/functions.h"
#include "expr/math/functions.h"
#include "expr/nested/functions.h"
#include "expr/patterns/functions.h"
#include "expr/strings/functions.h"

namespace lanewise {

namespace {

std::vector<Function> sorted_table() {
  std::vector<Function> table;
  for (const FunctionGroup& group : function_groups())
    table.insert(table.end(), group.functions.begin(), group.functions.end());
  std::stable_sort(table.begin(), table.end(),
                   [](const Function& a, const Function& b) { return a.name < b.name; });
  return table;
}

/// Aliases of functions, sorted.
constexpr std::array kAliases = std::to_array<std::pair<std::string_view, std::string_view>>({
    {"!=", "<>"},
    {"&&", "list_has_any"},
    {"**", "pow"},
    {"==", "="},
    {"@", "abs"},
    {"@>", "list_has_all"},
    {"^", "pow"},
    {"add", "+"},
    {"apply", "list_transform"},
    {"array_apply", "list_transform"},
    {"array_cat", "list_concat"},
    {"array_concat", "list_concat"},
    {"array_contains", "list_contains"},
    {"array_distinct", "list_distinct"},
    {"array_extract", "list_extract"},
    {"array_filter", "list_filter"},
    {"array_grade_up", "list_grade_up"},
    {"array_has", "list_contains"},
    {"array_has_all", "list_has_all"},
    {"array_has_any", "list_has_any"},
    {"array_indexof", "list_position"},
    {"array_intersect", "list_intersect"},
    {"array_length", "length"},
    {"array_position", "list_position"},
    {"array_reduce", "list_reduce"},
    {"array_resize", "list_resize"},
    {"array_reverse_sort", "list_reverse_sort"},
    {"array_select", "list_select"},
    {"array_slice", "list_slice"},
    {"array_sort", "list_sort"},
    {"array_transform", "list_transform"},
    {"array_unique", "list_unique"},
    {"array_where", "list_where"},
    {"array_zip", "list_zip"},
    {"ceiling", "ceil"},
    {"date_add", "+"},
    {"datediff", "date_diff"},
    {"datepart", "date_part"},
    {"datesub", "date_sub"},
    {"datetrunc", "date_trunc"},
    {"dayofmonth", "day"},
    {"divide", "//"},
    {"element_at", "map_extract"},
    {"filter", "list_filter"},
    {"gen_random_uuid", "uuid"},
    {"grade_up", "list_grade_up"},
    {"list_apply", "list_transform"},
    {"list_cat", "list_concat"},
    {"list_element", "list_extract"},
    {"list_has", "list_contains"},
    {"list_indexof", "list_position"},
    {"list_pack", "list_value"},
    {"mod", "%"},
    {"multiply", "*"},
    {"power", "pow"},
    {"reduce", "list_reduce"},
    {"split", "string_split"},
    {"str_split", "string_split"},
    {"string_to_array", "string_split"},
    {"subtract", "-"},
    {"uuidv4", "uuid"},
    {"weekday", "dayofweek"},
    {"weekofyear", "week"},
});
static_assert(std::ranges::is_sorted(kAliases, {}, &std::pair<std::string_view, std::string_view>::first),
              "standard_name() searches in them");

}  // namespace

std::span<const FunctionGroup> function_groups() {
  static const FunctionGroup groups[] = {{"Comparisons", comparison_functions()},
                                         {"Arithmetic", arithmetic_functions()},
                                         {"Mathematics", math_functions()},
                                         {"Dates and times", date_functions()},
                                         {"Strings", string_functions()},
                                         {"Patterns", pattern_functions()},
                                         {"Lists, structs and maps", nested_functions()},
                                         {"Errors", raise_functions()},
                                         {"Random values", random_functions()}};
  return groups;
}

std::span<const Function> functions() {
  static const std::vector<Function> table = sorted_table();
  return table;
}

std::string_view standard_name(std::string_view name) {
  const auto alias =
      std::lower_bound(kAliases.begin(), kAliases.end(), name,
                       [](const auto& entry, std::string_view wanted) { return entry.first < wanted; });
  return alias != kAliases.end() && alias->first == name ? alias->second : name;
}

const Function* find_function(std::string_view name, std::span<const Type> args) {
  name = standard_name(name);
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
