#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace lanewise {

enum class TypeId : uint8_t {
  kNull,  ///< the type of a bare NULL
  kBool,
  kInt8,
  kInt16,
  kInt32,
  kInt64,
  kInt128,
  kUInt8,
  kUInt16,
  kUInt32,
  kUInt64,
  kUInt128,
  kFloat32,
  kFloat64,
  kDecimal,
  kDate,         ///< days since 1970-01-01
  kTime,         ///< microseconds since midnight
  kTimestamp,    ///< `unit`s since 1970-01-01 00:00:00, no zone
  kTimestampTz,  ///< microseconds since 1970-01-01 00:00:00 UTC
  kInterval,
  kVarchar,  ///< UTF-8; invalid bytes are kept
  kBlob,
  kUuid,    ///< 128 bits with the top bit flipped, so that they order as signed numbers
  kTimeNs,  ///< nanoseconds since midnight
  kList,    ///< any number of elements of one type
  kArray,   ///< a fixed number of elements, part of the type
  kStruct,  ///< named fields
  kMap,     ///< unique keys and their values
};

enum class TimeUnit : uint8_t { kSecond, kMilli, kMicro, kNano };

/// The representation of values in memory. Decimals of up to 18 digits are kInt64, longer ones kInt128.
enum class Physical : uint8_t {
  kBool,  ///< one byte, 0 or 1
  kInt8,
  kInt16,
  kInt32,
  kInt64,
  kInt128,
  kUInt8,
  kUInt16,
  kUInt32,
  kUInt64,
  kUInt128,
  kFloat32,
  kFloat64,
  kInterval,
  kString,
};

/// Months, days and microseconds are stored separately, as in SQL.
struct Interval {
  int32_t months = 0;
  int32_t days = 0;
  int64_t micros = 0;
  friend bool operator==(const Interval&, const Interval&) = default;
};

struct NestedType;
struct Member;

/// A logical SQL type.
struct Type {
  TypeId id = TypeId::kNull;
  uint8_t precision = 0;  ///< decimal: total digits, 1 to 38
  uint8_t scale = 0;      ///< decimal: digits after the point
  TimeUnit unit = TimeUnit::kMicro;
  const NestedType* nested = nullptr;  ///< components of a nested type; equal types share it

  constexpr Type() = default;
  constexpr Type(TypeId type_id) : id(type_id) {}  // NOLINT: a TypeId is a type
  static constexpr Type decimal(uint8_t precision, uint8_t scale) {
    Type type(TypeId::kDecimal);
    type.precision = precision;
    type.scale = scale;
    return type;
  }
  static constexpr Type timestamp(TimeUnit unit) {
    Type type(TypeId::kTimestamp);
    type.unit = unit;
    return type;
  }

  static Type list(Type element);
  static Type array(Type element, uint32_t size);
  static Type structure(std::vector<Member> fields);
  static Type map(Type key, Type value);

  Physical physical() const;
  /// Whether values are strings of bytes, which includes nested types (packed.h).
  bool is_string() const { return id == TypeId::kVarchar || id == TypeId::kBlob || is_nested(); }
  bool is_nested() const { return nested != nullptr; }
  /// For lists, arrays and maps, whose elements are structs of a key and a value.
  Type element() const;
  /// For structs; of a map's elements: "key" and "value".
  const std::vector<Member>& members() const;
  bool is_float() const { return id == TypeId::kFloat32 || id == TypeId::kFloat64; }
  bool is_signed_integer() const { return id >= TypeId::kInt8 && id <= TypeId::kInt128; }
  bool is_unsigned_integer() const { return id >= TypeId::kUInt8 && id <= TypeId::kUInt128; }
  bool is_integer() const { return is_signed_integer() || is_unsigned_integer(); }
  /// As SQL writes it: "DECIMAL(18,3)", "TIMESTAMP_NS", "VARCHAR".
  std::string name() const;

  friend bool operator==(const Type&, const Type&) = default;
};

/// A field of a struct; those of row(...) have no names.
struct Member {
  std::string name;
  Type type;
  friend bool operator==(const Member&, const Member&) = default;
};

/// The components of a nested type. Created only by Type::list() and similar functions, and never freed.
struct NestedType {
  TypeId id;
  std::vector<Member> members;  ///< lists and arrays: the element; maps: the struct that is their element
  uint32_t size = 0;            ///< of arrays; of structs: see union_type.h
  friend bool operator==(const NestedType&, const NestedType&) = default;
};

/// Bytes of one value; strings: 0.
size_t width(Physical physical);

/// Calls f(T{}) with the C++ type of `physical`: bool is uint8_t, kString is std::string_view.
template <class F>
decltype(auto) visit(Physical physical, F f);

}  // namespace lanewise

#include "data/visit-inl.h"
