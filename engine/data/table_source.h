#pragma once

#include <memory>
#include <string>

#include "data/source.h"

namespace lanewise {

/// A table as a source, read in place. Without an identity its columns are not cached.
std::shared_ptr<const Source> table_source(std::string name, Table table, bool has_identity = true);

/// The rows of a table that has exactly the scanned columns.
std::unique_ptr<Scan> scan_table(Table table);

/// An identity that no other source has.
std::string new_identity();

}  // namespace lanewise
