#pragma once

#include "data/gpu/device_column.h"

namespace lanewise {

/// Rows of a source that are already in device memory. Thread-safe.
class DeviceRows {
 public:
  virtual ~DeviceRows() = default;
  virtual int device() const = 0;    ///< its ordinal
  virtual int64_t rows() const = 0;  ///< all rows of the source
  /// Whether column() supports this column; otherwise it is read on the host by Source::scan().
  virtual bool has(size_t column) const = 0;
  /// Additional bytes of device memory that column() takes.
  virtual size_t converted_bytes(size_t column) const = 0;
  /// Rows [first, first + rows) of a column, for `upload.stream`: in place, or copied and converted on the
  /// device. Throws UserError that names the field, MemoryError.
  virtual DeviceColumn column(size_t column, int64_t first, int64_t rows,
                              const DeviceUpload& upload) const = 0;
};

}  // namespace lanewise
