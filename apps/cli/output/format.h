#pragma once

#include <memory>
#include <optional>
#include <string>

#include "output/result_writer.h"

namespace lanewise::cli {

/// The formats that results are written in. Parquet is written by the Session.
inline constexpr const char* kFormats[] = {"table",    "csv",     "json",  "ndjson",
                                           "markdown", "parquet", "arrow", "arrows"};

/// What --format says, else what the output's ending says, else a table. Throws UserError for Parquet without
/// a file, and for Arrow on a terminal.
std::string format_of(const std::string& format, const std::string& output);

/// How rows become text; what is missing is the format's own.
struct TextStyle {
  std::optional<int64_t> max_rows;       ///< of a table; 0: all
  std::optional<std::string> null_text;  ///< of a table, CSV and Markdown
};

/// The writer of a format that is not Parquet.
std::unique_ptr<ResultWriter> make_writer(const std::string& format, bool to_file,
                                          const TextStyle& style = {});

}  // namespace lanewise::cli
