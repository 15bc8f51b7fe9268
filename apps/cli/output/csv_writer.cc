#include <utility>

#include "output/result_writer.h"

namespace lanewise::cli {

namespace {

/// RFC 4180. NULL is `null_text`, by default an empty field; a string equal to it is quoted.
class CsvWriter : public ResultWriter {
 public:
  explicit CsvWriter(std::string null_text) : null_text_(std::move(null_text)) {}

  void write(const Batches& rows, OutputFile& out) override {
    std::string line;
    for (const Field& field : rows.schema) {
      if (!line.empty()) line += ',';
      append_quoted(field.name, line);
    }
    out.write(line + "\n");
    std::string cell;
    for_each_row(rows, [&](const Batch& batch, int64_t row) {
      line.clear();
      for (size_t i = 0; i < batch.columns.size(); ++i) {
        if (i != 0) line += ',';
        if (batch.columns[i]->is_null(row)) {
          line += null_text_;
          continue;
        }
        cell.clear();
        append_cell(*batch.columns[i], row, {}, cell);
        append_quoted(cell, line);
      }
      line += '\n';
      out.write(line);
    });
  }

 private:
  void append_quoted(std::string_view text, std::string& line) const {
    if (text != null_text_ && !text.empty() && text.find_first_of(",\"\r\n") == std::string_view::npos) {
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

  std::string null_text_;
};

}  // namespace

std::unique_ptr<ResultWriter> make_csv_writer(std::string null_text) {
  return std::make_unique<CsvWriter>(std::move(null_text));
}

}  // namespace lanewise::cli
