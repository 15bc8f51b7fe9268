#pragma once

#include <memory>
#include <optional>
#include <string>

#include "output/result_writer.h"

namespace lanewise::cli {

/// The output formats. The Session writes Parquet.
inline constexpr const char* kFormats[] = {"table",    "csv",     "json",  "ndjson",
                                           "markdown", "parquet", "arrow", "arrows"};

/// The value of --format, or the format of the output's extension, or table. Throws UserError for Parquet
/// without a file, and for Arrow on a terminal.
std::string format_of(const std::string& format, const std::string& output);

/// How rows are printed; an unset option has the format's default.
struct TextStyle {
  std::optional<int64_t> max_rows;       ///< of a table; 0: all
  std::optional<std::string> null_text;  ///< of a table, CSV and Markdown
};

/// The writer of a format that is not Parquet.
std::unique_ptr<ResultWriter> make_writer(const std::string& format, bool to_file,
                                          const TextStyle& style = {});

}  // namespace lanewise::cli
