#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/error.h"
#include "expr/expr.h"

namespace lanewise {

/// A value that a cast cannot convert. Who evaluates rows of an input adds which row of it that is.
class ConversionError : public UserError {
 public:
  explicit ConversionError(std::string_view what, std::optional<uint32_t> row_of_chunk = std::nullopt)
      : UserError(what), row(row_of_chunk) {}

  std::optional<uint32_t> row;  ///< of the chunk; none: of all rows, or of none
  ExprPtr argument;             ///< whose value it is; null: not known
  std::string origin;           ///< the argument for people: "column s"; empty: not known
};

}  // namespace lanewise
