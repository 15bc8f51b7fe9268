#pragma once

#include <memory>
#include <string>

#include "output/result_writer.h"

namespace lanewise::cli {

/// The formats that results are written in. Parquet is written by the Session.
inline constexpr const char* kFormats[] = {"table", "csv", "json", "ndjson", "markdown", "parquet"};

/// What --format says, else what the output's ending says, else a table. Throws UserError for Parquet without
/// a file.
std::string format_of(const std::string& format, const std::string& output);

/// The writer of a format that is not Parquet.
std::unique_ptr<ResultWriter> make_writer(const std::string& format, bool to_file);

}  // namespace lanewise::cli
