#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/arrow_file.h"
#include "data/batches.h"
#include "process/output_file.h"

namespace lanewise::cli {

/// Writes results in one format. One writer serves all statements of a run, in order.
class ResultWriter {
 public:
  virtual ~ResultWriter() = default;
  virtual void write(const Batches& rows, OutputFile& out) = 0;
};

struct TableStyle {
  int width = 120;       ///< columns of the terminal
  int64_t rows = 40;     ///< most rows to show
  bool colours = false;  ///< bold and dim text
  std::string null_text = "NULL";
};

std::unique_ptr<ResultWriter> make_table_writer(TableStyle style);
std::unique_ptr<ResultWriter> make_csv_writer(std::string null_text = {});
std::unique_ptr<ResultWriter> make_json_writer(
    bool lines);  ///< one object per line, without an array around them
std::unique_ptr<ResultWriter> make_markdown_writer(std::string null_text = "NULL");
std::unique_ptr<ResultWriter> make_arrow_writer(ArrowFormat format);

/// Appends the value as SQL prints it; `null` for NULL.
void append_cell(const Column& column, int64_t row, std::string_view null, std::string& out);

/// Calls f(batch, row) for each row.
template <class F>
void for_each_row(const Batches& rows, F f) {
  while (const std::optional<Batch> batch = rows.next()) {
    for (int64_t row = 0; row < batch->rows; ++row) f(*batch, row);
  }
}

/// 7312345 as "7,312,345".
std::string with_commas(int64_t number);

}  // namespace lanewise::cli
