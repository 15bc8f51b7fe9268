#pragma once

#include <atomic>
#include <cstdint>
#include <exception>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "data/column.h"
#include "expr/conversion_error.h"

namespace lanewise::ops {

/// Of the errors raised by rows, keeps the one of the earliest row, whichever thread finds an error first.
class FirstFault {
 public:
  /// The order of the rows that raised it; only earlier rows can replace it. The maximum: no error.
  uint64_t order() const { return order_.load(std::memory_order_relaxed); }
  /// Keeps the current exception, raised by rows of this order, unless earlier rows have raised one.
  void note(uint64_t order);
  /// The error, or null.
  std::exception_ptr error() const { return error_; }

 private:
  std::atomic<uint64_t> order_{UINT64_MAX};
  std::mutex mutex_;
  std::exception_ptr error_;
};

/// Names the value that was converted, by the columns of `error.argument`.
void name_argument(ConversionError& error, const Schema& columns);

/// Whether the expression reads only columns that are marked.
bool reads_only(const Expr& expr, const std::vector<bool>& marked);

/// "'f.csv', row 7, column s: ...". `row` counts from 0; no row is named for a source without a name.
ConversionError with_place(const ConversionError& error, const std::string& source,
                           std::optional<uint64_t> row);

}  // namespace lanewise::ops
