#include "api/session_state.h"

#include <filesystem>
#include <system_error>

namespace lanewise {

lanes::Target Session::State::target_named(const std::string& name) {
  const auto target = lanes::parse_target(name);
  if (!target) {
    throw UserError(fmt::format(
        "there are no lanes named '{}'; choose simd, avx512, avx2, neon, interleaved, auto, scalar, "
        "branching, emulated or packed",
        name));
  }
  if (!lanes::supported(*target)) {
    throw UserError(fmt::format(
        "this machine does not support the lanes '{}'; 'lanewise info' lists those that it does", name));
  }
  return *target;
}

std::optional<std::string> Session::State::temp_directory(const SessionOptions& options) {
  const std::string& given = options.temp_directory;
  if (given.empty()) return std::nullopt;
  if (given == kNoTempDirectory) return "";
  std::error_code error;
  if (!std::filesystem::is_directory(given, error))
    throw UserError(fmt::format("the temporary directory '{}' does not exist or is not a directory", given));
  return given;
}

exec::OperatorProfile Session::State::by_duckdb(const std::string& statement, double seconds) {
  exec::OperatorProfile op;
  op.name = statement;
  op.nanos = static_cast<uint64_t>(seconds * 1e9);
  op.target = "duckdb";
  return op;
}

void Session::State::name(Schema& schema, const sql::Query& query) {
  for (size_t i = 0; i < schema.size() && i < query.names.size(); ++i) {
    schema[i].name = query.names[i];
    schema[i].text_of = query.texts[i];
  }
}

}  // namespace lanewise
