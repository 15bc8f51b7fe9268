#include <utility>

#include "output/result_writer.h"

namespace lanewise::cli {

namespace {

bool is_numeric(Type type) { return type.is_integer() || type.is_float() || type.id == TypeId::kDecimal; }

class MarkdownWriter : public ResultWriter {
 public:
  explicit MarkdownWriter(std::string null_text) : null_text_(std::move(null_text)) {}

  void write(const Batches& rows, OutputFile& out) override {
    std::string head = "|";
    std::string rule = "|";
    for (const Field& field : rows.schema) {
      append_escaped(field.name, head);
      rule += is_numeric(field.type) ? " ---: |" : " --- |";
    }
    out.write(head + "\n" + rule + "\n");
    std::string line;
    std::string cell;
    for_each_row(rows, [&](const Batch& batch, int64_t row) {
      line = '|';
      for (const ColumnPtr& column : batch.columns) {
        cell.clear();
        append_cell(*column, row, null_text_, cell);
        append_escaped(cell, line);
      }
      line += '\n';
      out.write(line);
    });
    out.write("\n");  // so that two tables do not run together
  }

 private:
  static void append_escaped(std::string_view text, std::string& line) {
    line += ' ';
    for (const char c : text) {
      if (c == '|' || c == '\\') line += '\\';
      if (c == '\n' || c == '\r') {
        line += c == '\n' ? "<br>" : "";
      } else {
        line += c;
      }
    }
    line += " |";
  }

  std::string null_text_;
};

}  // namespace

std::unique_ptr<ResultWriter> make_markdown_writer(std::string null_text) {
  return std::make_unique<MarkdownWriter>(std::move(null_text));
}

}  // namespace lanewise::cli
