#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>

#include "data/column.h"
#include "gpu/memory.h"
#include "gpu/staging.h"

namespace lanewise {

/// Statistics of an integer column that was the only key of a join. NULL equals nothing.
struct KeyNumbers {
  uint64_t low, high;  ///< in the integers' order; low > high: none
  bool ascend, have_null;
  std::optional<bool> repeat = {};  ///< none: not known
};

/// Values of one type in device memory, in the layout of Column: validity (32 rows in a word) and physical
/// values. Strings are offsets from 0 and bytes, or 32-bit codes and a dictionary. Numbers are always plain.
/// gpu::kPadding bytes after each buffer are readable.
struct DeviceColumn {
  Type type;
  int64_t rows = 0;
  gpu::DeviceBuffer validity;  ///< absent: no NULL
  gpu::DeviceBuffer values;    ///< of strings the bytes, of dictionaries the codes
  gpu::DeviceBuffer offsets;   ///< strings: rows + 1 of uint32_t, or of uint64_t where wide_offsets
  bool wide_offsets = false;
  uint64_t longest = 0;                            ///< of plain strings: bytes of the longest one
  std::unique_ptr<const DeviceColumn> dictionary;  ///< entries without NULLs; the same one may be there twice

  /// Kept for the next join; empty if no join has read the column. Written by one query at a time, the one
  /// that uses the device.
  mutable std::optional<KeyNumbers> key_numbers = {};

  size_t bytes() const;      ///< of all buffers
  size_t own_bytes() const;  ///< of those that are not others' memory
};

/// Whether slice_of() has its rows: not of plain strings, whose offsets begin at 0.
bool has_slices(const DeviceColumn& column);
/// Rows [first, first + rows) of `whole` in its memory, which it keeps alive. `first` is a multiple of 64.
DeviceColumn slice_of(const std::shared_ptr<const DeviceColumn>& whole, int64_t first, int64_t rows);

/// Neighbouring rows of a column in host memory.
struct ColumnPiece {
  ColumnPtr column;
  int64_t first = 0;
  int64_t rows = 0;
};

/// How columns get to a device.
struct DeviceUpload {
  gpu::DevicePool& pool;
  gpu::Staging& staging;
  gpu::Stream& stream;   ///< that uses the columns
  MemoryBudget* budget;  ///< of host memory, for what must be rearranged on the way; may be null
};

/// The pieces, one after the other, as one column of `type`. Throws MemoryError.
DeviceColumn to_device(Type type, std::span<const ColumnPiece> pieces, const DeviceUpload& upload);

}  // namespace lanewise
