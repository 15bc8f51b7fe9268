#pragma once

namespace duckdb {
class ClientContext;
}  // namespace duckdb

namespace lanewise::sql {

/// Whether timestamps with time zones are read, written and truncated in UTC and in our calendar; otherwise
/// DuckDB computes them.
bool is_utc(duckdb::ClientContext& context);

}  // namespace lanewise::sql
