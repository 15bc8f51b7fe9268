#include "sql/duckdb/time_zone.h"

#include <algorithm>

#include "sql/duckdb/duckdb_headers.h"

namespace lanewise::sql {

bool is_utc(duckdb::ClientContext& context) {
  const auto is = [&](const char* setting, std::initializer_list<std::string_view> values) {
    duckdb::Value value;
    return !context.TryGetCurrentSetting(setting, value) ||
           std::ranges::find(values, value.ToString()) != values.end();
  };
  return is("TimeZone", {"UTC", "Etc/UTC"}) && is("Calendar", {"gregorian"});
}

}  // namespace lanewise::sql
