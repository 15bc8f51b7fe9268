#pragma once

#include <optional>
#include <string>

#include "data/gpu/device_column.h"

namespace lanewise::codegen {

/// The layout of a column in device memory, as far as generated sources depend on it.
struct ColumnForm {
  Type type;
  bool nullable = false;
  bool dictionary = false;
  bool wide_offsets = false;         ///< Entries have 64-bit offsets (of a dictionary: its entries)
  bool short_texts = false;          ///< each string fits into a ShortKey (keys-inl.h)
  std::optional<size_t> probe = {};  ///< the probe that finds the row to read; none: a column of the input
};

ColumnForm form_of(const DeviceColumn& column, std::optional<size_t> probe = {});
/// The name of the values' type in generated sources.
std::string memory_type(const ColumnForm& form);
/// Whether its values (or codes) have a fixed width: then those of a group of rows are loaded in advance.
bool is_fixed(const ColumnForm& form);

}  // namespace lanewise::codegen
