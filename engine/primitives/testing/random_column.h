#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "data/column.h"

/// Columns of random values for tests: extremes, NaN and -0.0, equal intervals in different forms, long
/// strings, empty ones and strings with NUL bytes.
namespace lanewise::random {

inline const std::vector<Type>& all_types() {
  static const std::vector<Type> types = {
      TypeId::kBool,    TypeId::kInt8,        TypeId::kInt16,    TypeId::kInt32,      TypeId::kInt64,
      TypeId::kInt128,  TypeId::kUInt8,       TypeId::kUInt16,   TypeId::kUInt32,     TypeId::kUInt64,
      TypeId::kUInt128, TypeId::kFloat32,     TypeId::kFloat64,  Type::decimal(9, 2), Type::decimal(18, 4),
      TypeId::kDate,    Type::decimal(38, 5), TypeId::kTime,     TypeId::kTimestamp,  TypeId::kTimestampTz,
      TypeId::kBlob,    TypeId::kVarchar,     TypeId::kInterval, TypeId::kUuid,       TypeId::kTimeNs};
  return types;
}

/// Value number `k` of a type: different numbers usually give different values.
inline Value value(Type type, uint32_t k) {
  const auto cast = [&](auto zero) -> Value {
    using T = decltype(zero);
    const uint64_t scrambled = k * uint64_t{0x9e3779b97f4a7c15};
    if constexpr (std::is_same_v<T, std::string_view>) {
      std::string text = k % 5 == 0 ? std::string() : "näme-" + std::to_string(k);
      if (k % 7 == 3) text += std::string(1, '\0') + "x";
      if (k % 11 == 4) text = std::string(40, 'p') + text + std::string(k % 90, 'q');
      return {type, text};
    } else if constexpr (std::is_same_v<T, Interval>) {
      const auto n = static_cast<int32_t>(k / 3);
      const int32_t months = n % 40 - 10;
      if (k % 3 == 0) return {type, Interval{months, 0, 0}};
      if (k % 3 == 1) return {type, Interval{0, months * 30, 0}};
      return {type, Interval{0, months * 29, months * int64_t{86'400'000'001}}};
    } else if constexpr (std::is_floating_point_v<T>) {
      if (k == 0) return {type, 0.0};
      if (k == 1) return {type, -0.0};
      if (k == 2) return {type, std::nan("")};
      if (k == 3) return {type, static_cast<double>(std::numeric_limits<T>::infinity())};
      return {type, static_cast<double>(static_cast<T>(static_cast<double>(k) * (k % 2 == 0 ? 0.75 : -1.5)))};
    } else {
      T result = static_cast<T>(k % 4 < 2 ? k / 2 : scrambled);
      if constexpr (sizeof(T) == 16)
        result = static_cast<T>(static_cast<int128_t>(scrambled) * (k % 2 == 0 ? -k : 3));
      if (k == 4) result = std::numeric_limits<T>::min();
      if (k == 5) result = std::numeric_limits<T>::max();
      if (type == Type(TypeId::kBool)) result = static_cast<T>(k % 2);
      if (type == Type(TypeId::kDate)) result = static_cast<T>(static_cast<int128_t>(result) % 100'000'000);
      if (type.id == TypeId::kDecimal) {
        int128_t limit = 1;
        for (int digit = 0; digit < type.precision; ++digit) limit *= 10;
        result = static_cast<T>(static_cast<int128_t>(result) % limit);
      }
      if (type.is_unsigned_integer()) return {type, static_cast<uint128_t>(result)};
      return {type, static_cast<int128_t>(result)};
    }
  };
  return visit(type.physical(), cast);
}

/// Rows that are NULL with probability `null_share`, else one of `distinct` values.
inline std::vector<Value> values(Type type, size_t rows, uint32_t distinct, double null_share,
                                 std::mt19937& random) {
  std::vector<Value> result;
  std::uniform_int_distribution<uint32_t> pick(0, distinct - 1);
  std::uniform_real_distribution<double> share(0, 1);
  for (size_t row = 0; row < rows; ++row) {
    result.push_back(share(random) < null_share ? Value(type) : value(type, pick(random)));
  }
  return result;
}

/// The same rows as `plain`, as codes into a dictionary.
inline ColumnPtr dictionary_of(const Column& plain) {
  std::vector<Value> entries;
  auto column = std::make_shared<Column>(plain);
  column->values = Buffer::allocate(static_cast<size_t>(plain.rows) * 4, nullptr, "test");
  column->offsets = {};
  column->wide_offsets = false;
  for (int64_t row = 0; row < plain.rows; ++row) {
    const Value value = plain.value(row);
    uint32_t code = 0;
    while (code < entries.size() && !(entries[code] == value)) ++code;
    if (value.is_null()) {
      code = 0xfffffff0;  // code of a NULL: any value is allowed
    } else if (code == entries.size()) {
      entries.push_back(value);
    }
    column->values.mutable_as<uint32_t>()[row] = code;
  }
  column->dictionary = make_column(plain.type, entries);
  return column;
}

}  // namespace lanewise::random
