#pragma once

#include <memory>

#include "data/column.h"

namespace duckdb {
class DatabaseInstance;
}

namespace lanewise::sql {

/// The table that the SQL function lanewise_rows() gives; null between uses.
struct ExposedTable {
  const Table* table = nullptr;
};

/// Registers lanewise_rows(): the rows of `exposed`, in order, read where they lie and by several threads.
/// Its name is for COPY statements of ours.
void register_rows_function(duckdb::DatabaseInstance& instance, std::shared_ptr<const ExposedTable> exposed);

}  // namespace lanewise::sql
