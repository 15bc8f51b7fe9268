#include "help/functions.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <string_view>
#include <vector>

#include "api/session.h"
#include "expr/function.h"
#include "expr/functions/functions.h"
#include "help/help.h"
#include "help/suggest.h"
#include "input/data_file.h"
#include "ops/aggregate/functions/functions.h"
#include "output/display.h"

namespace lanewise::cli {

namespace {

constexpr int kNameWidth = 25;

/// A function as the help shows it. The example of an aggregate is a whole query.
struct Entry {
  std::string_view name, documentation, example;
  bool is_query;
};
struct Group {
  std::string_view title;
  std::vector<Entry> entries;  ///< ordered by name
};

std::vector<Group> groups() {
  std::vector<Group> all;
  for (const auto& [title, functions] : function_groups()) {
    Group& group = all.emplace_back(title);
    for (const Function& function : functions)
      group.entries.emplace_back(function.name, function.documentation, function.example, false);
    std::ranges::stable_sort(group.entries, {}, &Entry::name);
  }
  Group& aggregates = all.emplace_back("Aggregates");
  for (const ops::AggregateFunction& function : ops::aggregate_functions()) {
    if (function.example.empty()) continue;  // part of another function: SQL cannot call it
    aggregates.entries.emplace_back(function.name == "count_star" ? "count(*)" : function.name,
                                    function.documentation,
                                    function.example.substr(0, function.example.find(" -- ")), true);
  }
  return all;
}

/// Name and description of each function in `entries`; overloads are merged.
std::string lines(std::span<const Entry> entries) {
  std::string out;
  std::string_view last;
  for (const Entry& entry : entries) {
    if (entry.name == last) continue;
    last = entry.name;
    out += fmt::format("  {:<{}}{}\n", entry.name, kNameWidth,
                       fit(entry.documentation, kHelpWidth - 2 - kNameWidth));
  }
  return out;
}

/// The description in DuckDB's catalogue of a function that the engine does not have; empty: unknown there,
/// too.
std::string described_by_duckdb(Session& session, const std::string& name) {
  const Table found =
      session
          .run(
              "SELECT any_value(description), any_value(examples[1]) FROM duckdb_functions() "
              "WHERE function_type = 'scalar' GROUP BY function_name HAVING function_name = " +
              sql_quoted(name, '\''))
          .table;
  if (found.rows() == 0) return {};
  std::string out = name + ", computed by DuckDB's library\n\n";
  if (!found.value(0, 0).is_null()) out += fmt::format("{}\n", found.value(0, 0).to_string());
  if (!found.value(0, 1).is_null()) out += fmt::format("  {}\n", found.value(0, 1).to_string());
  return out;
}

/// The function's descriptions, each with its examples and results.
std::string explain(Session& session, std::span<const Entry> overloads) {
  std::string out = fmt::format("{}\n", overloads.front().name);
  std::string_view last;
  for (const Entry& entry : overloads) {
    if (entry.documentation != last) out += fmt::format("\n{}\n", last = entry.documentation);
    const std::string query = entry.is_query ? fmt::format("SELECT x::VARCHAR FROM ({}) t(x)", entry.example)
                                             : fmt::format("SELECT ({})::VARCHAR", entry.example);
    const Value value = session.run(query).table.value(0, 0);
    out += fmt::format("  {}\n    {}\n", entry.example, value.is_null() ? "NULL" : value.to_string());
  }
  return out;
}

}  // namespace

std::string function_list() {
  std::string out = "'lanewise help functions NAME' shows examples with their results.\n";
  for (const Group& group : groups()) out += fmt::format("\n{}:\n\n{}", group.title, lines(group.entries));
  return out;
}

std::string function_help(const std::string& name) {
  const std::string word = lower(name);
  const std::string_view standard = standard_name(ops::standard_name(word));
  std::vector<Entry> named, mentioned;
  std::vector<std::string> names;
  for (const Group& group : groups()) {
    for (const Entry& entry : group.entries) {
      names.emplace_back(entry.name);
      const std::string known = lower(std::string(entry.name));
      if (known == standard || known == fmt::format("{}(*)", standard)) named.push_back(entry);
      const std::string text = lower(fmt::format(" {} {} ", entry.documentation, entry.example));
      if (text.find(fmt::format(" {} ", word)) != std::string::npos) mentioned.push_back(entry);
    }
  }
  Session session;
  if (!named.empty()) return explain(session, named);
  if (const std::string described = described_by_duckdb(session, word); !described.empty()) return described;
  if (!word.empty() && !mentioned.empty())
    return fmt::format("Functions that mention '{}':\n\n{}", name, lines(mentioned));
  throw UserError(fmt::format("there is no function '{}'{}", name, did_you_mean(word, names)));
}

}  // namespace lanewise::cli
