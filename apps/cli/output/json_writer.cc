#include <cmath>
#include <nlohmann/json.hpp>
#include <set>

#include "output/result_writer.h"

namespace lanewise::cli {

namespace {

/// A JSON string; bytes that are no UTF-8 become U+FFFD.
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

/// Numbers are numbers (also 128-bit ones and decimals, digit by digit); NaN and infinities, which JSON
/// lacks, and all other types are strings as SQL prints them.
bool is_number(const Column& column, int64_t row) {
  if (column.type.is_float()) return std::isfinite(column.value(row).real());
  return column.type.is_integer() || column.type.id == TypeId::kDecimal || column.type.id == TypeId::kBool;
}

class JsonWriter : public ResultWriter {
 public:
  explicit JsonWriter(bool lines) : lines_(lines) {}

  void write(const Table& table, OutputFile& out) override {
    const auto keys = keys_of(table.schema);
    std::string line;
    std::string cell;
    const char* separator = lines_ ? "" : "[\n";
    for_each_row(table, [&](const Batch& batch, int64_t row) {
      line = separator;
      line += '{';
      for (size_t i = 0; i < keys.size(); ++i) {
        const Column& column = *batch.columns[i];
        if (i != 0) line += ',';
        line += keys[i];
        cell.clear();
        append_cell(column, row, "null", cell);
        if (column.is_null(row) || is_number(column, row)) {
          line += cell;
        } else {
          append_string(cell, line);
        }
      }
      line += lines_ ? "}\n" : "}";
      separator = lines_ ? "" : ",\n";
      out.write(line);
    });
    if (!lines_) out.write(table.rows() == 0 ? "[]\n" : "\n]\n");
  }

 private:
  bool lines_;
};

}  // namespace

std::unique_ptr<ResultWriter> make_json_writer(bool lines) { return std::make_unique<JsonWriter>(lines); }

}  // namespace lanewise::cli
