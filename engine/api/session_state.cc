#include "api/session_state.h"

#include <algorithm>
#include <filesystem>
#include <system_error>

namespace lanewise {

lanes::Target Session::State::target_named(const std::string& name) { return lanes::require_target(name); }

std::string Session::State::open_spill_file() {
  const std::string& given = options.temp_directory;
  if (given == kNoTempDirectory) return "";
  std::error_code error;
  if (!given.empty() && !std::filesystem::is_directory(given, error))
    throw UserError(fmt::format("the temporary directory '{}' does not exist or is not a directory", given));
  const auto file = std::make_shared<SpillFile>(given);
  budget.spill_to(file);
  return file->folder();
}

bool Session::State::may_stay_on_device(const Schema& schema) {
  return std::ranges::all_of(schema, [](const Field& field) {
    return field.text_of.empty() && arrow::DeviceRecords::supports(field.type);
  });
}

ops::OperatorProfile Session::State::by_duckdb(const std::string& statement, double seconds) {
  ops::OperatorProfile op;
  op.name = statement;
  op.nanos = static_cast<uint64_t>(seconds * 1e9);
  op.target = "duckdb";
  return op;
}

void Session::State::name(Schema& schema, const sql::Query& query) {
  for (size_t i = 0; i < schema.size() && i < query.names.size(); ++i) {
    schema[i].name = query.names[i];
    schema[i].text_of = query.texts[i];
    schema[i].sql_type = query.sql_types[i];
  }
}

}  // namespace lanewise
