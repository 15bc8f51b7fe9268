#include "output/format.h"

#include <fmt/format.h>

#include <iterator>
#include <limits>
#include <string_view>
#include <utility>

#include "base/error.h"
#include "process/terminal.h"

namespace lanewise::cli {

namespace {

constexpr std::pair<std::string_view, const char*> kExtensions[] = {
    {".csv", "csv"},       {".json", "json"},         {".ndjson", "ndjson"},   {".jsonl", "ndjson"},
    {".md", "markdown"},   {".markdown", "markdown"}, {".parquet", "parquet"}, {".arrow", "arrow"},
    {".feather", "arrow"}, {".arrows", "arrows"},     {".txt", "table"}};

std::string format_of_extension(const std::string& output) {
  const std::string name = output.substr(output.rfind('/') + 1);
  const size_t dot = name.rfind('.');
  if (dot == std::string::npos || dot == 0) return "table";
  const std::string extension = name.substr(dot);
  std::string all;
  for (size_t i = 0; i < std::size(kExtensions); ++i) {
    const auto& [known, format] = kExtensions[i];
    if (extension == known) return format;
    all += fmt::format("{}{}", i == 0 ? "" : i + 1 < std::size(kExtensions) ? ", " : " or ", known);
  }
  throw UserError(
      fmt::format("'{}': no format has the extension '{}'; use {}, or --format", output, extension, all));
}

}  // namespace

std::string format_of(const std::string& format, const std::string& output) {
  const std::string chosen = format.empty() ? format_of_extension(output) : format;
  if (chosen == "parquet" && output.empty()) {
    throw UserError("--format parquet needs a file: add -o FILE.parquet");
  }
  if (chosen.starts_with("arrow") && output.empty() && stdout_is_terminal()) {
    throw UserError(fmt::format("--format {0} is not for a terminal: add -o FILE.{0}, or a pipe", chosen));
  }
  return chosen;
}

std::unique_ptr<ResultWriter> make_writer(const std::string& format, bool to_file, const TextStyle& style) {
  if (format == "csv") return make_csv_writer(style.null_text.value_or(""));
  if (format == "json") return make_json_writer(false);
  if (format == "ndjson") return make_json_writer(true);
  if (format == "arrow") return make_arrow_writer(ArrowFormat::kFile);
  if (format == "arrows") return make_arrow_writer(ArrowFormat::kStream);
  if (format == "markdown") return make_markdown_writer(style.null_text.value_or("NULL"));
  int64_t rows = style.max_rows.value_or(40);
  if (rows == 0) rows = std::numeric_limits<int64_t>::max();
  return make_table_writer(
      {to_file ? 120 : terminal_width(), rows, !to_file && use_colours(), style.null_text.value_or("NULL")});
}

}  // namespace lanewise::cli
