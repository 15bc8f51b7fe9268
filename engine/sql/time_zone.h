#pragma once

namespace duckdb {
class ClientContext;
}  // namespace duckdb

namespace lanewise::sql {

/// Whether timestamps with time zones are read, written and cut as those of UTC and of our calendar are;
/// DuckDB computes others.
bool is_utc(duckdb::ClientContext& context);

}  // namespace lanewise::sql
