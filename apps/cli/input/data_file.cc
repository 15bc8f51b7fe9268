#include "input/data_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>

#include "base/error.h"

namespace lanewise::cli {

std::string sql_quoted(std::string_view text, char quote) {
  std::string result(1, quote);
  for (const char c : text) result.append(c == quote ? 2 : 1, c);
  return result + quote;
}

bool same_name(std::string_view a, std::string_view b) {
  const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; };
  return std::ranges::equal(a, b, {}, lower, lower);
}

std::optional<int64_t> line_of(const std::string& file, int64_t record) {
  std::ifstream in(file.ends_with(".csv") ? file : "");
  int64_t line = 0, records = 0;
  bool quoted = false;
  for (std::string text; std::getline(in, text); quoted ^= std::ranges::count(text, '"') % 2 != 0) {
    ++line;
    const bool begins = !quoted && text.find_first_not_of('\r') != std::string::npos && text[0] != '#';
    if (begins && ++records == record) return line;
  }
  return std::nullopt;
}

void require_database(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  std::string head(16, '\0');
  in.read(head.data(), static_cast<std::streamsize>(head.size()));
  if (in.gcount() == 0 || head.compare(8, 4, "DUCK") == 0 || head.starts_with("SQLite format 3")) return;
  throw UserError(fmt::format("'{}' is not a database; query a data file without --db: FROM {}", path,
                              sql_quoted(path, '\'')));
}

}  // namespace lanewise::cli
