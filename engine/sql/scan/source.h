#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "data/source.h"

namespace duckdb {
class ClientContext;
class LogicalGet;
}  // namespace duckdb

namespace lanewise::sql {

/// The state of a database apart from its files: a counter raised by every statement that is not a query.
struct Generation {
  uint64_t writes = 0;    ///< part of the identity of DuckDB's tables
  uint64_t settings = 0;  ///< SET, ATTACH, ...: part of the identity of files, since it may change reading
};

/// The rows of a DuckDB table function (a table, Parquet, CSV, JSON, range, ...), called directly by our
/// threads. Takes ownership of the bind data of `get`; the context's transaction outlives the source.
///
/// The schema has the function's columns, then its virtual ones (rowid, filename) in the order of their
/// numbers. A column of an unsupported type appears with type NULL and must not be read.
std::shared_ptr<const Source> make_source(duckdb::ClientContext& context, duckdb::LogicalGet& get,
                                          const Generation& generation);

/// Index of column `id` of `get` in that schema; nothing for the column without content that count(*) reads.
std::optional<size_t> source_column(const duckdb::LogicalGet& get, uint64_t id);

}  // namespace lanewise::sql
