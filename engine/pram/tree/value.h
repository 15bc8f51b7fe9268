#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace lanewise::pram {

/// int32 and int are signed integers of 32 and 64 bits, real is an IEEE double.
enum class Type : uint8_t { kBool, kInt32, kInt, kReal };

std::string_view name(Type type);
inline bool is_integer(Type type) { return type == Type::kInt || type == Type::kInt32; }
inline bool is_number(Type type) { return type != Type::kBool; }

/// A value of any type: an integer itself, a bool as 0 or 1, a real by its bits.
using Word = int64_t;

// Uses the compiler's built-in, since emscripten 3.1.6 does not have std::bit_cast.
inline Word word_of(double value) { return __builtin_bit_cast(Word, value); }
inline double real_of(Word word) { return __builtin_bit_cast(double, word); }
/// The value as a program would write it: 12, 0.5, true.
std::string to_text(Type type, Word word);

/// Cells of one variable, row-major. A scalar has no extents and one word.
struct Array {
  Type type = Type::kInt;
  std::vector<int64_t> extents;
  std::vector<Word> words;

  bool operator==(const Array&) const = default;
};

/// Variables by name: the inputs of a run, or its outputs.
using Arrays = std::map<std::string, Array, std::less<>>;

/// Builders for tests and callers: scalars and arrays of one dimension.
Array scalar(int64_t value);
Array ints(std::vector<int64_t> values);
Array reals(const std::vector<double>& values);
/// `values` in row-major order, `columns` per row.
Array matrix(std::vector<int64_t> values, int64_t columns);

}  // namespace lanewise::pram
