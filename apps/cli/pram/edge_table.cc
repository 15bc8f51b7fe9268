#include "pram/edge_table.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <vector>

#include "api/session.h"
#include "base/error.h"
#include "input/data_file.h"
#include "input/read_file.h"

namespace lanewise::cli::pram_command {

namespace {

/// "a.csv:3" or "a.parquet: row 2".
std::string place_of(const std::string& file, int64_t row) {
  const std::optional<int64_t> line = line_of(file, row + 1);  // after the header
  return line ? fmt::format("{}:{}", file, *line) : fmt::format("{}: row {}", file, row);
}

/// Calls f(part, i, row) for each row, from 1, of a column without NULLs: the i-th of a part of it.
template <class F>
void each_row(const Table& table, size_t column, const std::string& file, F f) {
  int64_t row = 0;
  for (const Batch& batch : table.batches) {
    const Column& part = *batch.columns[column];
    for (int64_t i = 0; i < part.rows; ++i) {
      ++row;
      if (part.is_null(i)) {
        throw UserError(fmt::format("{}: {} is NULL", place_of(file, row), table.schema[column].name));
      }
      f(part, i, row);
    }
  }
}

template <class T>
T number_at(const Column& part, int64_t i) {
  return part.dictionary ? part.dictionary->values.as<T>()[part.values.as<uint32_t>()[i]]
                         : part.values.as<T>()[i];
}

/// The word without surrounding spaces and without a plus sign.
std::string_view bare(std::string_view word) {
  while (word.starts_with(' ') || word.starts_with('\t')) word.remove_prefix(1);
  while (word.ends_with(' ') || word.ends_with('\t')) word.remove_suffix(1);
  if (word.starts_with('+') && !word.starts_with("+-")) word.remove_prefix(1);
  return word;
}

std::optional<double> real_number(std::string_view word) {
  word = bare(word);
  double value = 0;
  const auto read = std::from_chars(word.data(), word.data() + word.size(), value);
  if (read.ec != std::errc() || read.ptr != word.data() + word.size()) return std::nullopt;
  return value;
}

[[noreturn]] void refuse(std::string_view word, const char* what, const std::string& file, int64_t row) {
  throw UserError(fmt::format("{}: expected {}, found '{}'", place_of(file, row), what, word.substr(0, 40)));
}

std::vector<int64_t> vertices(const Table& table, size_t column, const std::string& file) {
  std::vector<int64_t> result;
  const bool integers = table.schema[column].type == TypeId::kInt64;
  each_row(table, column, file, [&](const Column& part, int64_t i, int64_t row) {
    const std::optional<int64_t> vertex = integers ? number_at<int64_t>(part, i) : whole_number(part.text(i));
    if (!vertex) refuse(part.text(i), "an integer", file, row);
    result.push_back(*vertex);
  });
  return result;
}

std::vector<double> weights(const Table& table, size_t column, const std::string& file) {
  std::vector<double> result;
  const bool numbers = table.schema[column].type == TypeId::kFloat64;
  each_row(table, column, file, [&](const Column& part, int64_t i, int64_t row) {
    const std::optional<double> weight = numbers ? number_at<double>(part, i) : real_number(part.text(i));
    if (!weight) refuse(part.text(i), "a number", file, row);
    result.push_back(*weight);
  });
  return result;
}

/// The type of a column: text, unless every value surely fits a number. Errors then show values as they are
/// in the file.
const char* read_as(Type type, bool weight) {
  const bool small = type.is_integer() && width(type.physical()) < 8;
  if (weight) return small || type.is_float() ? "DOUBLE" : "VARCHAR";
  return small || type == TypeId::kInt64 ? "BIGINT" : "VARCHAR";
}

}  // namespace

std::optional<int64_t> whole_number(std::string_view word) {
  word = bare(word);
  const size_t mark = word.find_first_of("eE");
  const std::string_view mantissa = word.substr(0, mark);
  const auto read = [](std::string_view text, auto& value) {
    const auto done = std::from_chars(text.data(), text.data() + text.size(), value);
    return done.ec == std::errc() && done.ptr == text.data() + text.size();
  };
  int exponent = 0;
  if (mark != std::string_view::npos) {
    if (!read(bare(word.substr(mark + 1)), exponent) || exponent > 40)
      return std::nullopt;  // larger numbers do not fit
  }
  if (mantissa.empty() || mantissa.back() < '0' || mantissa.back() > '9') return std::nullopt;
  const size_t dot = std::min(mantissa.find('.'), mantissa.size());
  std::string_view fraction = mantissa.substr(std::min(dot + 1, mantissa.size()));
  while (fraction.ends_with('0')) fraction.remove_suffix(1);
  const int shift = exponent - static_cast<int>(fraction.size());
  if (shift < 0) return std::nullopt;
  std::string digits(mantissa.substr(0, dot));
  digits.append(fraction).append(static_cast<size_t>(shift), '0');
  int64_t value = 0;
  if (!read(digits, value)) return std::nullopt;
  return value;
}

graph::Graph read_edge_table(const std::string& file, MemoryBudget& budget) {
  // otherwise it would have the names of several
  if (file.find_first_of("*?[") == std::string::npos) require_file(file);
  Session session;
  const std::string name = sql_quoted(file, '\'');
  const std::string from =
      file.ends_with(".csv") ? fmt::format("read_csv({}, all_varchar = true, header = true)", name) : name;
  const Schema schema = session.run(fmt::format("SELECT * FROM {} LIMIT 0", from), false).table.schema;
  std::vector<std::string> names;
  for (const Field& field : schema) names.push_back(field.name);
  std::vector<std::string> columns;
  for (const std::string_view wanted : {"src", "dst", "weight"}) {
    const bool weight = wanted == "weight";
    const auto found =
        std::ranges::find_if(schema, [&](const Field& field) { return same_name(field.name, wanted); });
    if (found != schema.end()) {
      columns.push_back(fmt::format("CAST({} AS {}) AS {}", sql_quoted(found->name, '"'),
                                    read_as(found->type, weight), wanted));
    } else if (!weight) {
      throw UserError(
          fmt::format("'{}' has no column '{}'; it has {}", file, wanted, fmt::join(names, ", ")));
    }
  }
  const Table table =
      session.run(fmt::format("SELECT {} FROM {}", fmt::join(columns, ", "), from), false).table;
  Reservation memory(&budget, "reading a graph");
  memory.resize(static_cast<size_t>(table.rows()) * graph::kEdgeBytes);
  graph::Graph graph;
  graph.source = vertices(table, 0, file);
  graph.target = vertices(table, 1, file);
  if (columns.size() == 3) graph.weight = weights(table, 2, file);
  std::vector<int64_t> labels = graph.source;
  labels.insert(labels.end(), graph.target.begin(), graph.target.end());
  graph::number_vertices(graph, std::move(labels));
  return graph;
}

}  // namespace lanewise::cli::pram_command
