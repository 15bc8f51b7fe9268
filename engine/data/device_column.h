#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>

#include "data/column.h"
#include "device/memory.h"
#include "device/staging.h"

namespace lanewise {

/// The numbers in a column of integers: what a join saw when they alone were its keys, NULL equal to nothing.
struct KeyNumbers {
  uint64_t low, high;  ///< in the integers' order; low > high: none
  bool ascend, have_null;
  std::optional<bool> repeat = {};  ///< none: nobody looked
};

/// Values of one type in a device's memory, laid out as in Column: validity (32 rows in a word), physical
/// values, of strings offsets from 0 on and bytes; of dictionaries of strings 32-bit codes and the entries.
/// Numbers are plain always. device::kPadding bytes behind each buffer are readable.
struct DeviceColumn {
  Type type;
  int64_t rows = 0;
  device::DeviceBuffer validity;  ///< absent: no NULL
  device::DeviceBuffer values;    ///< of strings the bytes, of dictionaries the codes
  device::DeviceBuffer offsets;   ///< strings: rows + 1 of uint32_t, or of uint64_t where wide_offsets
  bool wide_offsets = false;
  uint64_t longest = 0;                            ///< of plain strings: bytes of the longest one
  std::unique_ptr<const DeviceColumn> dictionary;  ///< entries without NULLs; the same one may be there twice

  /// Kept for the next join; none: nobody looked. Written by the query that has the device, one at a time.
  mutable std::optional<KeyNumbers> key_numbers = {};

  size_t bytes() const;      ///< of all buffers
  size_t own_bytes() const;  ///< of those that are not others' memory
};

/// Neighbouring rows of a column in host memory.
struct ColumnPiece {
  ColumnPtr column;
  int64_t first = 0;
  int64_t rows = 0;
};

/// How columns get to a device.
struct DeviceUpload {
  device::DevicePool& pool;
  device::Staging& staging;
  device::Stream& stream;  ///< that uses the columns
  MemoryBudget* budget;    ///< of host memory, for what must be rearranged on the way; may be null
};

/// The pieces, one behind the other, as one column of `type`. Throws MemoryError.
DeviceColumn to_device(Type type, std::span<const ColumnPiece> pieces, const DeviceUpload& upload);

}  // namespace lanewise
