#pragma once

#include <string>
#include <utility>
#include <variant>

#include "base/int128.h"
#include "data/type.h"

namespace lanewise {

/// One value of a type, or NULL: literals, reference evaluation, statistics. Not for bulk data.
///
/// Representation: int128_t for bool, signed integers, dates, times, timestamps and unscaled decimals;
/// uint128_t for unsigned integers; double for floats (exact for float32); Interval; Text for strings and
/// nested values (packed.h).
class Value {
 public:
  /// Not std::string: libstdc++ 12 believes that a variant with one always has a value, and destroys it even
  /// if copying the string has failed.
  struct Text {
    std::string bytes;
    Text(std::string of) : bytes(std::move(of)) {}
    bool operator==(const Text&) const = default;
  };
  using Held = std::variant<std::monostate, int128_t, uint128_t, double, Interval, Text>;

  Value() = default;                          ///< NULL of type NULL
  explicit Value(Type type) : type_(type) {}  ///< NULL of `type`
  Value(Type type, Held held) : type_(type), held_(std::move(held)) {}
  static Value boolean(bool value) { return {TypeId::kBool, int128_t{value}}; }
  static Value int32(int32_t value) { return {TypeId::kInt32, int128_t{value}}; }
  static Value int64(int64_t value) { return {TypeId::kInt64, int128_t{value}}; }
  static Value float64(double value) { return {TypeId::kFloat64, value}; }
  static Value varchar(std::string value) { return {TypeId::kVarchar, std::move(value)}; }

  const Type& type() const { return type_; }
  bool is_null() const { return held_.index() == 0; }
  const Held& held() const { return held_; }
  int128_t integer() const { return std::get<int128_t>(held_); }
  uint128_t natural() const { return std::get<uint128_t>(held_); }
  double real() const { return std::get<double>(held_); }
  const std::string& text() const { return std::get<Text>(held_).bytes; }
  const Interval& interval() const { return std::get<Interval>(held_); }
  bool is_true() const { return !is_null() && integer() != 0; }

  /// As SQL's CAST(value AS VARCHAR) prints it; NULL is "NULL".
  std::string to_string() const;

  /// The same type and the same value; NULL equals NULL, NaN equals NaN, -0.0 equals 0.0.
  friend bool operator==(const Value& a, const Value& b);

 private:
  Type type_;
  Held held_;
};

/// The total order of SQL's ORDER BY for two values of one type, neither NULL: negative, 0 or positive.
/// NaN is the greatest float and equal to itself; strings compare as bytes; intervals by normalised length.
int compare(const Value& a, const Value& b);

}  // namespace lanewise
