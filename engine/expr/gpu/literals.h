#pragma once

#include <string>
#include <string_view>

#include "data/type.h"
#include "data/value.h"

/// Types and values as written in sources for devices.
namespace lanewise::expr {

/// An emitted value: a C++ expression for it, and one for whether it is not NULL.
struct Emitted {
  std::string value;
  std::string valid = {};  ///< empty: never NULL

  std::string is_valid() const { return valid.empty() ? "true" : valid; }
};

/// "i64": the type of values of `type` in sources, see values-inl.h. Booleans are bool, in memory u8.
std::string device_type(Type type);
/// A literal as a C++ expression.
Emitted device_literal(const Value& value);

/// Bytes as a C string literal, with its quotes.
std::string device_quoted(std::string_view bytes);
/// A power of ten as an additional argument of a call: ", i128(100)".
std::string device_power(std::string_view type, int digits);

}  // namespace lanewise::expr
