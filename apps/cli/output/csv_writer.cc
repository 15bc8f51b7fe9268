#include "output/result_writer.h"

namespace lanewise::cli {

namespace {

/// RFC 4180. NULL is an empty field, the empty string is "".
class CsvWriter : public ResultWriter {
 public:
  void write(const Table& table, OutputFile& out) override {
    std::string line;
    for (const Field& field : table.schema) {
      if (!line.empty()) line += ',';
      append_quoted(field.name, line);
    }
    out.write(line + "\n");
    std::string cell;
    for_each_row(table, [&](const Batch& batch, int64_t row) {
      line.clear();
      for (size_t i = 0; i < batch.columns.size(); ++i) {
        if (i != 0) line += ',';
        if (batch.columns[i]->is_null(row)) continue;
        cell.clear();
        append_cell(*batch.columns[i], row, {}, cell);
        append_quoted(cell, line);
      }
      line += '\n';
      out.write(line);
    });
  }

 private:
  static void append_quoted(std::string_view text, std::string& line) {
    if (!text.empty() && text.find_first_of(",\"\r\n") == std::string_view::npos) {
      line += text;
      return;
    }
    line += '"';
    for (const char c : text) {
      if (c == '"') line += '"';
      line += c;
    }
    line += '"';
  }
};

}  // namespace

std::unique_ptr<ResultWriter> make_csv_writer() { return std::make_unique<CsvWriter>(); }

}  // namespace lanewise::cli
