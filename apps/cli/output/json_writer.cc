#include <algorithm>
#include <cmath>
#include <iterator>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include "output/result_writer.h"

namespace lanewise::cli {

namespace {

/// A JSON string; invalid UTF-8 becomes U+FFFD.
void append_string(std::string_view text, std::string& out) {
  out += nlohmann::json(std::string(text)).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

/// JSON objects have one value per name: repeated names get _1, _2, ...
std::vector<std::string> keys_of(const Schema& schema) {
  std::vector<std::string> keys;
  std::set<std::string> taken;
  for (const Field& field : schema) {
    std::string name = field.name;
    for (int i = 1; !taken.insert(name).second; ++i) name = field.name + "_" + std::to_string(i);
    keys.emplace_back();
    append_string(name, keys.back());
    keys.back() += ':';
  }
  return keys;
}

/// Numbers are numbers (128-bit ones and decimals, too, digit by digit). NaN and infinities, which JSON
/// lacks, and all other types are strings as SQL prints them.
bool is_number(const Column& column, int64_t row) {
  if (column.is_null(row)) return false;
  if (column.type.is_float()) return std::isfinite(column.value(row).real());
  return column.type.is_integer() || column.type.id == TypeId::kDecimal || column.type.id == TypeId::kBool;
}

/// A FLOAT prints with a DOUBLE's digits, as within lists: most readers of JSON have no other numbers.
void append_number(const Column& column, int64_t row, std::string& out) {
  if (column.type.id == TypeId::kFloat32) {
    out += Value(TypeId::kFloat64, column.value(row).real()).to_string();
  } else {
    append_cell(column, row, {}, out);
  }
}

/// Appends JSON made by DuckDB: NaN and infinities, which JSON lacks, become strings.
void append_json(std::string_view text, std::string& out) {
  constexpr std::pair<std::string_view, std::string_view> kWords[] = {
      {"NaN", "\"nan\""}, {"-Infinity", "\"-inf\""}, {"Infinity", "\"inf\""}};
  bool quoted = false;
  for (size_t at = 0; at < text.size();) {
    const auto word = std::ranges::find_if(
        kWords, [&](const auto& pair) { return !quoted && text.substr(at).starts_with(pair.first); });
    if (word != std::end(kWords)) {
      out += word->second;
      at += word->first.size();
      continue;
    }
    if (text[at] == '"') quoted = !quoted;
    const size_t length = quoted && text[at] == '\\' && at + 1 < text.size() ? 2 : 1;
    out += text.substr(at, length);
    at += length;
  }
}

class JsonWriter : public ResultWriter {
 public:
  explicit JsonWriter(bool lines) : lines_(lines) {}

  void write(const Batches& rows, OutputFile& out) override {
    const auto keys = keys_of(rows.schema);
    std::string line;
    std::string cell;
    const char* separator = lines_ ? "" : "[\n";
    for_each_row(rows, [&](const Batch& batch, int64_t row) {
      line = separator;
      line += '{';
      for (size_t i = 0; i < keys.size(); ++i) {
        const Column& column = *batch.columns[i];
        if (i != 0) line += ',';
        line += keys[i];
        cell.clear();
        if (is_number(column, row)) {
          append_number(column, row, cell);
          if (const size_t point = cell.find('.'); point == 0 || (point == 1 && cell[0] == '-'))
            cell.insert(point, "0");
          line += cell;
          continue;
        }
        append_cell(column, row, "null", cell);
        if (column.is_null(row)) {
          line += cell;
        } else if (rows.schema[i].text_of == "JSON") {
          append_json(cell, line);
        } else {
          append_string(cell, line);
        }
      }
      line += lines_ ? "}\n" : "}";
      separator = lines_ ? "" : ",\n";
      out.write(line);
    });
    if (!lines_) out.write(line.empty() ? "[]\n" : "\n]\n");
  }

 private:
  bool lines_;
};

}  // namespace

std::unique_ptr<ResultWriter> make_json_writer(bool lines) { return std::make_unique<JsonWriter>(lines); }

}  // namespace lanewise::cli
