#include "output/format.h"

#include <map>

#include "base/error.h"
#include "terminal.h"

namespace lanewise::cli {

namespace {

std::string format_of_ending(const std::string& output) {
  static const std::map<std::string, std::string> kEndings = {
      {"csv", "csv"},     {"json", "json"},         {"ndjson", "ndjson"},   {"jsonl", "ndjson"},
      {"md", "markdown"}, {"markdown", "markdown"}, {"parquet", "parquet"}, {"txt", "table"}};
  const auto dot = output.rfind('.');
  if (dot == std::string::npos) return "table";
  const auto found = kEndings.find(output.substr(dot + 1));
  return found == kEndings.end() ? "table" : found->second;
}

}  // namespace

std::string format_of(const std::string& format, const std::string& output) {
  const std::string chosen = format.empty() ? format_of_ending(output) : format;
  if (chosen == "parquet" && output.empty()) {
    throw UserError("--format parquet needs a file: add -o FILE.parquet");
  }
  return chosen;
}

std::unique_ptr<ResultWriter> make_writer(const std::string& format, bool to_file) {
  if (format == "csv") return make_csv_writer();
  if (format == "json") return make_json_writer(false);
  if (format == "ndjson") return make_json_writer(true);
  if (format == "markdown") return make_markdown_writer();
  return make_table_writer({to_file ? 120 : terminal_width(), 40, !to_file && use_colours()});
}

}  // namespace lanewise::cli
