#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/error.h"
#include "expr/expr.h"

namespace lanewise {

/// A value that a cast cannot convert. The evaluator of an input's rows adds the row number.
class ConversionError : public UserError {
 public:
  explicit ConversionError(std::string_view what, std::optional<uint32_t> row_of_chunk = std::nullopt)
      : UserError(what), row(row_of_chunk) {}

  std::optional<uint32_t> row;  ///< its number within the chunk, if that is known
  ExprPtr argument;             ///< the converted expression; null: not known
  std::string origin;           ///< the argument for messages: "column s"; empty: not known
  bool of_input = true;         ///< its row is one of the pipeline's input; false: of a join's build side
  bool of_constant = false;     ///< the statement is wrong, not a row of its input
};

/// Throws the error of a cast again: it names the constant, or has the argument.
[[noreturn]] void raise_again(ConversionError& error, const Expr& cast);

}  // namespace lanewise
