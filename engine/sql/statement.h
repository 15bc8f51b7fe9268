#pragma once

#include <string>

#include "sql/duckdb/duckdb_headers.h"

namespace lanewise::sql {

/// The last of several statements that one was parsed to, or the statement itself.
const duckdb::SQLStatement& last_part(const duckdb::SQLStatement& statement);
const duckdb::SQLStatement& last_part(const duckdb::SQLStatement&& statement) =
    delete;  // would not outlive it

/// A copy of the query inside COPY (query) TO, CREATE TABLE AS or INSERT ... SELECT, with the WITH clause of
/// the whole statement; null for other statements.
duckdb::unique_ptr<duckdb::SelectStatement> query_inside(const duckdb::SQLStatement& statement);
/// The statement with `rows` in place of its query.
duckdb::unique_ptr<duckdb::SQLStatement> with_rows(const duckdb::SQLStatement& statement,
                                                   duckdb::unique_ptr<duckdb::SelectStatement> rows);

/// Whether it changes rows that a query finds: UPDATE, DELETE or INSERT ... VALUES with joins or subqueries,
/// or MERGE. A change of one table is a write without a query, which DuckDB does by its indexes.
bool finds_rows(const duckdb::SQLStatement& statement);

/// Whether it may change a database file; temporary tables do not count.
bool may_change(const duckdb::SQLStatement& statement);

/// The local file that COPY writes; null if it writes none, or several in a folder, or returns their names.
const std::string* copied_to(const duckdb::SQLStatement& statement);
/// Makes COPY write to another path, without a temporary file of DuckDB's next to it.
void copy_to(duckdb::SQLStatement& statement, const std::string& path);

}  // namespace lanewise::sql
