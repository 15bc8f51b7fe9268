#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "base/int128.h"
#include "data/type.h"
#include "data/value.h"

/// Nested values as byte strings, so that operators move, keep, group and sort them like strings.
/// Equality and order of values are those of their bytes. NULL is the greatest element, NaN the greatest
/// number, and a list comes before the lists that begin with it.
///
/// A value is a sequence of slots, one for each element or field: a mark, followed by the element. Lists and
/// maps end with Mark::kEnd. Numbers take their full width even if NULL, most significant byte first, so
/// elements of fixed width are found by their position. Strings end with a zero; a zero inside is 00 FF.
/// Nested values follow their mark unchanged.
namespace lanewise::packed {

enum class Mark : uint8_t { kEnd, kValue, kNull };

/// An unsigned number whose order is the order of `value`, and back. -0.0 comes before 0.0.
template <class T>
auto ordered(T value);
template <class T>
T unordered(const char* bytes);

/// Appends slots to a string.
class Writer {
 public:
  explicit Writer(std::string& out) : out_(out) {}
  void null(Type type) {
    mark(Mark::kNull);
    out_.append(width(type.physical()), '\0');
  }
  template <class T>
  void number(T value) {
    mark(Mark::kValue);
    bytes(value);
  }
  void text(std::string_view text);
  /// Appends a nested value.
  void nested(std::string_view packed) {
    mark(Mark::kValue);
    out_ += packed;
  }
  /// Appends a slot as it is stored in another value.
  void slot(std::string_view slot) { out_ += slot; }
  void value(Type type, const Value& value);
  void mark(Mark mark) { out_ += static_cast<char>(mark); }
  void end() { mark(Mark::kEnd); }
  std::string& out() { return out_; }

 private:
  template <class T>
  void bytes(T value);

  std::string& out_;
};

/// Reads slots one after another.
class Reader {
 public:
  explicit Reader(std::string_view packed) : at_(packed.data()), end_(packed.data() + packed.size()) {}
  /// The next slot's mark; kEnd also after the last field.
  Mark next() { return at_ == end_ ? Mark::kEnd : static_cast<Mark>(*at_++); }
  /// Skips what follows kNull.
  void null(Type type) { at_ += width(type.physical()); }
  // Reads what follows kValue, by type:
  template <class T>
  T number() {
    const T value = unordered<T>(at_);
    at_ += sizeof(T);
    return value;
  }
  /// A string; if it contains zeros, it is written to `scratch`.
  std::string_view text(std::string& scratch);
  std::string_view nested(Type type) { return payload(type); }
  /// The stored bytes of a value of any type.
  std::string_view payload(Type type) {
    const char* start = at_;
    skip(type);
    return {start, static_cast<size_t>(at_ - start)};
  }
  Value value(Type type);

 private:
  void skip(Type type);

  const char* at_;
  const char* end_;
};

/// Bytes of each slot of elements of `type`; 0 if they vary.
inline size_t slot_width(Type type) {
  const size_t bytes = width(type.physical());
  return bytes == 0 ? 0 : bytes + 1;
}

/// The number of elements of a list, array or map.
size_t size(Type type, std::string_view packed);

/// Whether equal values of the type may differ in their bytes, as 0.0 and -0.0 do.
bool has_equal_forms(Type type);
/// Gives equal values of a nested type equal bytes, in place: intervals in normal form, 0.0 for -0.0.
void normalize(Type type, std::span<char> packed);

/// The elements or fields of a nested value that is not NULL, and back.
std::vector<Value> unpack(const Value& value);
Value pack(Type type, const std::vector<Value>& values);

/// As SQL's CAST(value AS VARCHAR) prints it: "[1, NULL]", "{'a': x, 'b': 2}", "{key=value}"; appends.
void print(Type type, std::string_view packed, std::string& out);

}  // namespace lanewise::packed

#include "data/packed-inl.h"
