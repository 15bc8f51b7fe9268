#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "base/int128.h"
#include "lanes/targets/target.h"

/// Loops over plain arrays of numbers, compiled for each target. Bitmaps are as in base/bits.h: 64 rows per
/// word, least significant bit first, bits past the last row zero. `active`, if a kernel takes it, selects
/// the rows that count; null means all. No kernel reads or writes outside its arrays; none requires
/// alignment. The caller handles NULLs, as rows that are not active. All targets give bit-identical
/// results, floating-point sums included.
namespace lanewise::kernels {

enum class Comparison : uint8_t { eq, ne, lt, le, gt, ge };
enum class Arithmetic : uint8_t { add, subtract, multiply };

/// Sums of integers never overflow; those of float and double are in double, with 16 partial sums by row
/// number modulo 16: off by at most (rows / 16 + 15) * 2^-53 * the sum of all magnitudes, if that is finite.
template <class T>
using Sum = std::conditional_t<std::is_floating_point_v<T>, double, int128_t>;

/// The minimum and the maximum of the active values; if there is none, `any` is false and the rest
/// unspecified. NaN is greater than all; -0.0 comes before 0.0, so that the result does not depend on the
/// order of rows.
template <class T>
struct MinMax {
  T min, max;
  bool any;
};

/// The kernels for values of one type: int8_t to int64_t, uint8_t to uint64_t, float, double.
template <class T>
struct Kernels {
  lanes::Target target;  ///< the target whose code this is; `interleaved` shares that of `scalar`

  /// Bit i of out: left[i] op right[i]. Floating-point values are in SQL's order: NaN equals NaN and is
  /// greater than all other values, -0.0 equals 0.0.
  void (*compare)(Comparison op, const T* left, const T* right, size_t rows, uint64_t* out);
  /// The same with one right side for all rows.
  void (*compare_constant)(Comparison op, const T* left, T right, size_t rows, uint64_t* out);

  Sum<T> (*sum)(const T* values, const uint64_t* active, size_t rows);
  MinMax<T> (*min_max)(const T* values, const uint64_t* active, size_t rows);

  /// out[i] = left[i] op right[i] for all rows; out may be left or right. Returns the first active row whose
  /// integer result overflows, else `rows`; out is unspecified in rows that overflow.
  /// Floating-point never overflows.
  size_t (*arithmetic)(Arithmetic op, const T* left, const T* right, size_t rows, const uint64_t* active,
                       T* out);
  /// The same with one right side, or one left side, for all rows.
  size_t (*arithmetic_right)(Arithmetic op, const T* left, T right, size_t rows, const uint64_t* active,
                             T* out);
  size_t (*arithmetic_left)(Arithmetic op, T left, const T* right, size_t rows, const uint64_t* active,
                            T* out);
};

/// The kernels for values of type T on `target`, which must be supported here.
template <class T>
const Kernels<T>& of(lanes::Target target);

/// Kernels on bitmaps, and hashes.
struct BitKernels {
  lanes::Target target;

  /// out = left op right; out may be left or right.
  void (*bit_and)(const uint64_t* left, const uint64_t* right, size_t rows, uint64_t* out);
  void (*bit_or)(const uint64_t* left, const uint64_t* right, size_t rows, uint64_t* out);
  void (*bit_and_not)(const uint64_t* left, const uint64_t* right, size_t rows,
                      uint64_t* out);  ///< left & ~right
  size_t (*count)(const uint64_t* bitmap, size_t rows);
  /// Writes first + i for each set bit i, ascending, and returns how many; `out` has room for that many.
  size_t (*list)(const uint64_t* bitmap, size_t rows, uint32_t first, uint32_t* out);
  /// out[i] = hash::of_word(words[i]) (primitives/groups/hash.h).
  void (*hash)(const uint64_t* words, size_t rows, uint64_t* out);
};

const BitKernels& bits_of(lanes::Target target);

}  // namespace lanewise::kernels
