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
  uint64_t low, high;  ///< as integers; low > high: no value
  bool ascend, have_null;
  std::optional<bool> repeat = {};  ///< whether a key occurs twice; absent: not known
};

/// Values of one type in device memory, in the layout of Column: validity (32 rows in a word) and physical
/// values. Strings are offsets from 0 and bytes, or 32-bit codes and a dictionary. Numbers are always plain.
/// gpu::kPadding bytes after each buffer are readable.
struct DeviceColumn {
  Type type;
  int64_t rows = 0;
  gpu::DeviceBuffer validity;  ///< absent: no row is NULL
  gpu::DeviceBuffer values;    ///< strings: the bytes; dictionaries: the codes
  gpu::DeviceBuffer offsets;   ///< strings: rows + 1 of uint32_t, or of uint64_t if wide_offsets
  bool wide_offsets = false;
  uint64_t longest = 0;                            ///< plain strings: bytes of the longest one
  std::unique_ptr<const DeviceColumn> dictionary;  ///< entries without NULLs; may contain duplicates

  /// Kept for the next join; absent if no join has read the column. Written only by the query that holds
  /// the device.
  mutable std::optional<KeyNumbers> key_numbers = {};

  size_t bytes() const;      ///< total of all buffers
  size_t own_bytes() const;  ///< total of the buffers that this column owns
};

/// Whether slice_of() has its rows: not of plain strings, whose offsets begin at 0.
bool has_slices(const DeviceColumn& column);
/// Rows [first, first + rows) of `whole` in its memory, which it keeps alive. `first` is a multiple of 64.
DeviceColumn slice_of(const std::shared_ptr<const DeviceColumn>& whole, int64_t first, int64_t rows);

/// A copy of a column without a dictionary in host memory. Throws MemoryError.
ColumnPtr to_host(const DeviceColumn& column, gpu::Staging& staging, gpu::Stream& stream,
                  MemoryBudget* budget);

/// Neighbouring rows of a column in host memory.
struct ColumnPiece {
  ColumnPtr column;
  int64_t first = 0;
  int64_t rows = 0;
};

/// How columns are copied to a device.
struct DeviceUpload {
  gpu::DevicePool& pool;
  gpu::Staging& staging;
  gpu::Stream& stream;   ///< the stream that uses the columns
  MemoryBudget* budget;  ///< host memory, for data rearranged on the way; may be null
};

/// The concatenated pieces as one column of `type`. Throws MemoryError.
DeviceColumn to_device(Type type, std::span<const ColumnPiece> pieces, const DeviceUpload& upload);

}  // namespace lanewise
