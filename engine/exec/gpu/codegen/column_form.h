#pragma once

#include <optional>
#include <string>

#include "data/gpu/device_column.h"

namespace lanewise::exec {

/// How a column lies in a device's memory, as far as sources depend on it.
struct ColumnForm {
  Type type;
  bool nullable = false;
  bool dictionary = false;
  bool wide_offsets = false;         ///< of a dictionary's entries, if it is one
  bool short_texts = false;          ///< each fits into a ShortKey (keys-inl.h)
  std::optional<size_t> probe = {};  ///< the one that finds the row to be read; none: it is the input's
};

ColumnForm form_of(const DeviceColumn& column, std::optional<size_t> probe = {});
/// The type of its values in memory, in sources.
std::string memory_type(const ColumnForm& form);
/// Whether its values (or codes) have a fixed width, so that a group's are loaded before they are used.
bool is_fixed(const ColumnForm& form);

}  // namespace lanewise::exec
