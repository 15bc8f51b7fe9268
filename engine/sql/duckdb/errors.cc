#include "sql/duckdb/errors.h"

#include <fmt/format.h>

#include <charconv>
#include <filesystem>
#include <string_view>

#include "expr/conversion_error.h"
#include "sql/duckdb/duckdb_headers.h"

namespace lanewise::sql {

namespace {

/// DuckDB's message about a table that does not exist, with better advice: folders are not tables, and its
/// suggestions of system tables do not help.
std::string about_table(const duckdb::ErrorData& error) {
  std::string message = error.Message();
  const auto& extra = error.ExtraInfo();
  const auto type = extra.find("type"), name = extra.find("name");
  if (type == extra.end() || name == extra.end() || type->second != "Table") return message;
  const auto suggested = extra.find("candidates");
  if (suggested != extra.end() && suggested->second.starts_with("pg_")) {
    const std::string line = fmt::format("\nDid you mean \"{}\"?", suggested->second);
    if (const size_t at = message.find(line); at != std::string::npos) message.erase(at, line.size());
  }
  std::error_code failed;
  if (!std::filesystem::is_directory(name->second, failed)) return message;
  std::string folder = name->second;
  while (folder.size() > 1 && folder.back() == '/') folder.pop_back();
  bool nested = false;  // as DuckDB writes partitions
  for (const auto& entry : std::filesystem::directory_iterator(folder, failed)) {
    nested = entry.is_directory(failed);
    if (nested) break;
  }
  return fmt::format("'{0}' is a folder; name the files in it, for example '{0}/{1}*.parquet'", folder,
                     nested ? "**/" : "");
}

/// DuckDB's message, with its advice on a missing extension in one line.
std::string about_extension(std::string message) {
  constexpr std::string_view kInstall = "INSTALL ";
  const size_t line = message.find('\n'), install = message.find(kInstall);
  if (line == std::string::npos || install == std::string::npos || install < line) return message;
  const size_t name = install + kInstall.size();
  const std::string extension = message.substr(name, message.find_first_of(";\"\n", name) - name);
  message.resize(message[line - 1] == '.' ? line - 1 : line);
  return fmt::format("{}; \"INSTALL {}\" fetches it once, \"LOAD {}\" loads it in each session", message,
                     extension, extension);
}

/// Position of the error in the statement, in bytes.
std::optional<size_t> position_of(const duckdb::ErrorData& error) {
  const auto found = error.ExtraInfo().find("position");
  size_t position = 0;
  if (found == error.ExtraInfo().end()) return std::nullopt;
  const std::string& digits = found->second;
  const auto [end, failed] = std::from_chars(digits.data(), digits.data() + digits.size(), position);
  return failed == std::errc() ? std::optional(position) : std::nullopt;
}

/// Advice for a string in double quotes, which SQL reads as a name.
std::string about_quotes(std::string message, const std::string& query, std::optional<size_t> position) {
  if (!position || *position >= query.size() || query[*position] != '"') return message;
  if (message.find("not found in FROM clause") == std::string::npos) return message;
  const size_t end = query.find('"', *position + 1);
  if (end == std::string::npos || query.compare(end, 2, "\"\"") == 0) return message;
  if (query.substr(*position, end - *position).find('\'') != std::string::npos) return message;
  return fmt::format("{}\nDouble quotes are for names; write a string as '{}'", message,
                     query.substr(*position + 1, end - *position - 1));
}

}  // namespace

void unsupported(const std::string& what) { throw UnsupportedError(what + " supported yet"); }

void rethrow(const std::exception_ptr& exception, const std::string& query) {
  try {
    std::rethrow_exception(exception);
  } catch (const UserError&) {
    throw;
  } catch (const CancelledError&) {
    throw;
  } catch (const InternalError&) {
    throw;
  } catch (const std::exception& e) {
    duckdb::ErrorData error(e);
    const std::optional<size_t> position = position_of(error);
    if (!query.empty()) error.AddErrorLocation(query);
    switch (error.Type()) {
      case duckdb::ExceptionType::INTERRUPT:
        throw CancelledError();
      case duckdb::ExceptionType::OUT_OF_MEMORY:
        throw MemoryError(error.Message());
      case duckdb::ExceptionType::INTERNAL:
      case duckdb::ExceptionType::FATAL:
        // Without its stack trace.
        throw UserError("DuckDB has an internal error, a bug of its own: " + error.RawMessage());
      case duckdb::ExceptionType::IO:
        throw UserError(about_extension(about_table(error)));
      case duckdb::ExceptionType::CONVERSION:
      case duckdb::ExceptionType::OUT_OF_RANGE:
        throw ConversionError(error.Message());
      default:
        throw SqlError(about_quotes(about_extension(about_table(error)), query, position), position);
    }
  }
}

}  // namespace lanewise::sql
