#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "data/column.h"
#include "ops/scan/bounds/bounds.h"

namespace lanewise::ops {

/// One column's rows, starting at `first`.
struct Span {
  ColumnPtr column;
  int64_t first = 0;
};

/// Rows that one thread takes at a time and processes in slices.
struct Morsel {
  uint64_t order = 0;  ///< of its first slice; slice k has order + k, less than the next morsel's order
  int64_t rows = 0;
  uint32_t slice_rows = 0;  ///< rows of a slice
  std::vector<Span> columns;
  const Bounds* bounds = nullptr;  ///< bounds of the column that orders the input; null: not ordered
};

/// Properties of the slices of all morsels.
struct Slicing {
  uint32_t vector_rows;  ///< rows of a slice
  int64_t morsel_rows;   ///< maximum rows of a morsel, a multiple of vector_rows
};

/// One thread's reader of an input.
class Reader {
 public:
  virtual ~Reader() = default;
  /// The next morsel with an order less than `below`; false if none is left.
  virtual bool next(Morsel& morsel, uint64_t below) = 0;
};

/// The source of a branch's rows, shared by threads. Morsels in ascending order give the rows in the
/// input's order.
class Input {
 public:
  virtual ~Input() = default;
  virtual std::unique_ptr<Reader> reader() = 0;  ///< thread-safe
  virtual size_t max_readers() const = 0;        ///< how many threads can read at once
  /// The position in the input of a row of the slice with this order, once all rows before it have been
  /// handed out.
  virtual std::optional<uint64_t> row_of(uint64_t, uint32_t) const { return std::nullopt; }
  /// All morsels of lower orders have been handed out, and their readers have called next() again. It only
  /// increases, unless the morsels are read by Sink::wanted_order(). Thread-safe.
  virtual uint64_t processed_below() const = 0;
  virtual double progress() const = 0;  ///< fraction of the rows handed out, 0..1; negative: unknown
  /// Called once after all readers have ended without an error.
  virtual void finish() {}
};

}  // namespace lanewise::ops
