#include "input/key_file.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "base/error.h"
#include "input/data_file.h"

namespace lanewise::cli {

namespace {

std::vector<std::string> split(const std::string& list) {
  std::vector<std::string> names;
  for (size_t at = 0; !list.empty() && at <= list.size();) {
    const size_t comma = std::min(list.find(',', at), list.size());
    names.push_back(list.substr(at, comma - at));
    at = comma + 1;
  }
  return names;
}

/// Calls f(batch, row) for each row, in order.
template <class F>
void each_row(const Table& table, F f) {
  for (const Batch& batch : table.batches) {
    for (int64_t row = 0; row < batch.rows; ++row) f(batch, row);
  }
}

/// The rows of a table's column that `taken` selects, as one column.
ColumnPtr in_one_piece(const Table& table, size_t column, const std::vector<bool>& taken) {
  if (table.batches.size() == 1 && !table.batches[0].columns[column]->dictionary &&
      std::ranges::find(taken, false) == taken.end()) {
    return table.batches[0].columns[column];
  }
  ColumnBuilder builder(table.schema[column].type);
  size_t number = 0;
  for (const Batch& batch : table.batches) {
    const Column& part = *batch.columns[column];
    const Column& held = part.dictionary ? *part.dictionary : part;
    visit(part.type.physical(), [&](auto zero) {
      using T = decltype(zero);
      for (int64_t row = 0; row < part.rows; ++row) {
        if (!taken[number++]) continue;
        const int64_t entry = part.dictionary && !part.is_null(row) ? part.values.as<uint32_t>()[row] : row;
        if (part.is_null(row)) {
          builder.append_null();
        } else if constexpr (std::is_same_v<T, std::string_view>) {
          builder.append_text(held.text(entry));
        } else {
          builder.append_physical(held.values.as<T>()[entry]);
        }
      }
    });
  }
  return builder.finish();
}

SessionOptions with_fallback() {
  SessionOptions options;
  options.fallback_duckdb = true;  // casts between any two types; columns of any type can be read
  return options;
}

}  // namespace

KeyFile::KeyFile(std::string path) : path_(std::move(path)), session_(with_fallback()) {
  const Table described = session_.run("DESCRIBE SELECT * FROM " + sql_quoted(path_, '\''), false).table;
  each_row(described, [&](const Batch& batch, int64_t row) {
    columns_.emplace_back(batch.columns[0]->value(row).text(), batch.columns[1]->value(row).text());
  });
}

std::vector<std::string> KeyFile::columns_named(const std::string& list) const {
  std::vector<std::string> wanted = split(list);
  for (const std::string& name : wanted) type_of(name);
  return wanted;
}

std::vector<std::string> KeyFile::columns_for(const std::string& list,
                                              const std::vector<KeyField>& key) const {
  std::vector<std::string> wanted = columns_named(list);
  if (!wanted.empty() && wanted.size() != key.size()) {
    throw UserError(
        fmt::format("the index's key has {} columns, but {} are given", key.size(), wanted.size()));
  }
  if (columns_.size() < key.size()) {
    throw UserError(
        fmt::format("'{}' has {} columns, but the index's key has {}", path_, columns_.size(), key.size()));
  }
  for (size_t i = wanted.size(); i < key.size(); ++i) wanted.push_back(columns_[i].first);
  return wanted;
}

const std::string& KeyFile::type_of(const std::string& column) const {
  for (const auto& [name, type] : columns_) {
    if (same_name(name, column)) return type;
  }
  std::vector<std::string> names;
  for (const auto& [name, type] : columns_) names.push_back(name);
  throw UserError(fmt::format("'{}' has no column '{}'; it has {}", path_, column, fmt::join(names, ", ")));
}

GivenKeys KeyFile::read(const std::vector<std::string>& columns) {
  std::vector<std::string> quoted;
  for (const std::string& name : columns) quoted.push_back(sql_quoted(name, '"'));
  const Table table =
      session_.run(fmt::format("SELECT {} FROM {}", fmt::join(quoted, ", "), sql_quoted(path_, '\'')), false)
          .table;
  GivenKeys keys;
  keys.names = columns;
  const std::vector<bool> all(static_cast<size_t>(table.rows()), true);
  for (size_t i = 0; i < columns.size(); ++i) {
    const Field& field = table.schema[i];
    const std::string other = field.type.is_nested() ? field.type.name() : field.text_of;
    if (!other.empty() && other != "JSON")
      throw UserError(fmt::format("'{}', column {}: {} cannot be a key", path_, columns[i], other));
    keys.columns.push_back(in_one_piece(table, i, all));
  }
  for (uint64_t row = 0; row < all.size(); ++row) keys.rows.push_back(row);
  return keys;
}

GivenKeys KeyFile::read(const std::vector<std::string>& columns, const std::vector<KeyField>& key) {
  // SQL for each column: its value in the field's type, and its error.
  std::vector<std::string> values;
  for (size_t i = 0; i < columns.size(); ++i) {
    const std::string column = sql_quoted(columns[i], '"');
    const std::string &from = type_of(columns[i]), to = key[i].type.name();
    const std::string cast = fmt::format("TRY_CAST({} AS {})", column, to);
    // Any value has a string form; 007 in a CSV file keeps its zeros unless another type is required.
    const bool exact = from == to || to == "VARCHAR";
    const std::string fits =
        exact ? "true" : fmt::format("coalesce(TRY_CAST({} AS {}) = {}, false)", cast, from, column);
    values.push_back(exact ? fmt::format("CAST({} AS {})", column, to) : cast);
    values.push_back(fmt::format(
        "CASE WHEN {0} IS NULL THEN {1} WHEN NOT {2} THEN CAST({0} AS VARCHAR) || {3} END", column,
        key[i].nullable ? "NULL" : "'NULL, which this index rejects; index build --nulls allows it'", fits,
        sql_quoted(" is not a value of " + to, '\'')));
  }
  const Table table =
      session_.run(fmt::format("SELECT {} FROM {}", fmt::join(values, ", "), sql_quoted(path_, '\'')), false)
          .table;
  GivenKeys keys;
  keys.names = columns;
  std::vector<bool> taken;
  each_row(table, [&](const Batch& batch, int64_t row) {
    taken.push_back(true);
    for (size_t i = 0; i < columns.size(); ++i) {
      const Column& reason = *batch.columns[2 * i + 1];
      if (reason.is_null(row)) continue;
      if (!keys.reason) {
        keys.refused = taken.size() - 1;
        keys.reason = fmt::format("column {}: {}", columns[i], reason.value(row).text());
      }
      taken.back() = false;
    }
    if (taken.back()) keys.rows.push_back(taken.size() - 1);
  });
  for (size_t i = 0; i < columns.size(); ++i) keys.columns.push_back(in_one_piece(table, 2 * i, taken));
  return keys;
}

void KeyFile::refuse(const GivenKeys& keys, const std::vector<KeyField>& key) const {
  if (keys.reason) throw UserError(fmt::format("'{}', {}, {}", path_, place_of(keys.refused), *keys.reason));
  for (size_t i = 0; i < key.size(); ++i) {
    const Column& column = *keys.columns[i];
    for (int64_t row = 0; !key[i].nullable && column.nulls != 0 && row < column.rows; ++row) {
      if (!column.is_null(row)) continue;
      throw UserError(fmt::format("'{}', {}, column {}: NULL, which this index rejects; --nulls allows it",
                                  path_, place_of(static_cast<uint64_t>(row)), keys.names[i]));
    }
  }
}

std::string KeyFile::place_of(uint64_t row) const {
  const bool header = columns_[0].first != "column0";
  if (const auto line = line_of(path_, static_cast<int64_t>(row) + (header ? 2 : 1)))
    return fmt::format("line {}", *line);
  const bool lines = path_.ends_with(".ndjson") || path_.ends_with(".jsonl");
  return fmt::format("{} {}", lines ? "line" : "row", row + 1);
}

}  // namespace lanewise::cli
