#pragma once

#include "primitives/kernels.h"
#include "primitives/kernels/blocks-inl.h"

namespace lanewise::kernels {

template <class V>
LANES_FN auto equal(V a, V b) {
  return a == b;
}
template <class V>
LANES_FN auto less(V a, V b) {
  return a < b;
}
/// NaN equals NaN and is greater than all.
template <class V>
LANES_FN auto equal_floats(V a, V b) {
  return (a == b) | ((a != a) & (b != b));
}
template <class V>
LANES_FN auto less_floats(V a, V b) {
  return (a < b) | ((b != b) & (a == a));
}

/// The six comparisons are these three or their negations.
enum class Test { equal, less, greater };

template <Test test, class T, class V>
LANES_FN auto holds(V a, V b) {
  if constexpr (std::is_floating_point_v<T>) {
    if constexpr (test == Test::equal) return equal_floats(a, b);
    if constexpr (test == Test::less) return less_floats(a, b);
    if constexpr (test == Test::greater) return less_floats(b, a);
  } else {
    if constexpr (test == Test::equal) return equal(a, b);
    if constexpr (test == Test::less) return less(a, b);
    if constexpr (test == Test::greater) return less(b, a);
  }
}

/// A word of `out` for each block of 64 rows; the right side moves on by `right_step` rows a block.
template <class Isa, Test test, class T>
static void compare_blocks(const T* left, const T* right, size_t right_step, size_t blocks, u64 invert,
                           uint64_t* out) {
  constexpr size_t lanes = Isa::kBytes / sizeof(T);
  using V = Vector<T, lanes>;
  for (size_t block = 0; block < blocks; block++, left += kBlock, right += right_step) {
    u64 bits = 0;
    for (size_t i = 0; i < kBlock; i += lanes) {
      bits |= Isa::bits(holds<test, T>(load<V>(left + i), load<V>(right + i))) << i;
    }
    out[block] = bits ^ invert;
  }
}

template <class Isa, Test test, class T>
LANES_FN void compare_all(const T* left, const Side<T>& right, size_t rows, bool opposite, uint64_t* out) {
  const u64 invert = opposite ? ~u64(0) : 0;
  const size_t blocks = rows / kBlock, row = blocks * kBlock;
  compare_blocks<Isa, test>(left, right.block(), right.step(), blocks, invert, out);
  if (row == rows) return;
  const Tail<T> left_tail(left + row, rows - row), right_tail = right.tail(row, rows - row);
  compare_blocks<Isa, test>(&left_tail.values[0], &right_tail.values[0], 0, 1, invert, out + blocks);
  out[blocks] &= low_mask(rows - row);
}

template <class Isa, class T>
static void compare_any(Comparison op, const T* left, const Side<T>& right, size_t rows, uint64_t* out) {
  const bool opposite = op == Comparison::ne || op == Comparison::ge || op == Comparison::le;
  if (op == Comparison::eq || op == Comparison::ne) {
    compare_all<Isa, Test::equal>(left, right, rows, opposite, out);
  } else if (op == Comparison::lt || op == Comparison::ge) {
    compare_all<Isa, Test::less>(left, right, rows, opposite, out);
  } else {
    compare_all<Isa, Test::greater>(left, right, rows, opposite, out);
  }
}

template <class Isa, class T>
void compare(Comparison op, const T* left, const T* right, size_t rows, uint64_t* out) {
  compare_any<Isa, T>(op, left, Side<T>(right), rows, out);
}
template <class Isa, class T>
void compare_constant(Comparison op, const T* left, T right, size_t rows, uint64_t* out) {
  compare_any<Isa, T>(op, left, Side<T>(right), rows, out);
}

}  // namespace lanewise::kernels
