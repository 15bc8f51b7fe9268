#pragma once

#include <atomic>
#include <cstdint>
#include <exception>
#include <mutex>
#include <optional>
#include <string>

#include "data/column.h"
#include "expr/conversion_error.h"

namespace lanewise::exec {

/// Among the errors that rows raise, that of the first rows, whichever thread finds an error first.
class FirstFault {
 public:
  /// The order of the rows that raised it; only earlier rows still matter. The maximum: no error.
  uint64_t order() const { return order_.load(std::memory_order_relaxed); }
  /// Keeps the current exception, raised by rows of this order, unless earlier rows raised one.
  void note(uint64_t order);
  /// The error; null: there is none.
  std::exception_ptr error() const { return error_; }

 private:
  std::atomic<uint64_t> order_{UINT64_MAX};
  std::mutex mutex_;
  std::exception_ptr error_;
};

/// Says what was converted, in terms of the columns that `error.argument` is made of.
void name_argument(ConversionError& error, const Schema& columns);

/// "'f.csv', row 7, column s: ...". `row` counts from 0; a source without a name has no rows to speak of.
ConversionError with_place(const ConversionError& error, const std::string& source,
                           std::optional<uint64_t> row);

}  // namespace lanewise::exec
