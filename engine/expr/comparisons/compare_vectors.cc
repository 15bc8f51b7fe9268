#include "expr/comparisons/compare_vectors.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "expr/compare.h"
#include "expr/loops.h"
#include "expr/numbers.h"

namespace lanewise::expr {

namespace {

/// Below this share of active rows only they are looked at.
constexpr double kDense = 0.05;

/// a op b as b mirrored(op) a.
constexpr Comparison mirrored(Comparison op) {
  switch (op) {
    case Comparison::lt:
      return Comparison::gt;
    case Comparison::le:
      return Comparison::ge;
    case Comparison::gt:
      return Comparison::lt;
    case Comparison::ge:
      return Comparison::le;
    default:
      return op;
  }
}

template <class T>
bool holds(Comparison op, const T& a, const T& b) {
  switch (op) {
    case Comparison::eq:
      return equal(a, b);
    case Comparison::ne:
      return !equal(a, b);
    case Comparison::lt:
      return less(a, b);
    case Comparison::le:
      return !less(b, a);
    case Comparison::gt:
      return less(b, a);
    case Comparison::ge:
      return !less(a, b);
  }
  return false;
}

/// All rows, by the target's loops.
template <class T>
void compare_all(Comparison op, const Vector& a, const Vector& b, size_t rows, lanes::Target target,
                 uint64_t* bitmap) {
  const kernels::Kernels<T>& run = kernels::of<T>(target);
  if (b.constant) {
    run.compare_constant(op, a.as<T>(), *b.as<T>(), rows, bitmap);
  } else if (a.constant) {
    run.compare_constant(mirrored(op), b.as<T>(), *a.as<T>(), rows, bitmap);
  } else {
    run.compare(op, a.as<T>(), b.as<T>(), rows, bitmap);
  }
}

/// The rows of flat text that equal `wanted`: lengths and first eight bytes decide nearly always, without a
/// branch. Buffers may be read past their end.
template <class Offset>
void equal_texts(const Vector& text, std::string_view wanted, size_t rows, uint64_t* bitmap) {
  const auto* offsets = text.as<Offset>();
  const auto first_bytes = [](const void* from, size_t size) {
    uint64_t bytes = 0;
    std::memcpy(&bytes, from, 8);
    return size >= 8 ? bytes : bytes & bits::low_mask(size * 8);
  };
  uint64_t head = 0;
  std::memcpy(&head, wanted.data(), std::min<size_t>(wanted.size(), 8));
  for (size_t word = 0; word < bits::words(rows); ++word) {
    const size_t count = std::min<size_t>(64, rows - word * 64);
    const Offset* row = offsets + word * 64;
    uint64_t hits = 0;
    for (size_t i = 0; i < count; ++i) {
      const bool hit =
          (row[i + 1] - row[i] == wanted.size()) & (first_bytes(text.bytes + row[i], wanted.size()) == head);
      hits |= uint64_t{hit} << i;
    }
    if (wanted.size() > 8) {
      for (uint64_t rest = hits; rest != 0; rest &= rest - 1) {
        const auto i = static_cast<size_t>(std::countr_zero(rest));
        if (std::memcmp(text.bytes + row[i], wanted.data(), wanted.size()) != 0) hits &= ~(uint64_t{1} << i);
      }
    }
    bitmap[word] = hits;
  }
}

/// Whether the comparison was equal_texts(); then all rows were compared.
bool compare_texts(Comparison op, const Vector& a, const Vector& b, size_t rows, uint64_t* bitmap) {
  if (op != Comparison::eq && op != Comparison::ne) return false;
  const Vector& text = a.constant ? b : a;
  const Vector& constant = a.constant ? a : b;
  if (!constant.constant || text.constant || text.form != Vector::Form::kText || text.bytes == nullptr) {
    return false;
  }
  const std::string_view wanted = constant.text(0);
  if (text.wide_offsets) {
    equal_texts<uint64_t>(text, wanted, rows, bitmap);
  } else {
    equal_texts<uint32_t>(text, wanted, rows, bitmap);
  }
  if (op == Comparison::ne) {
    for (size_t word = 0; word < bits::words(rows); ++word) bitmap[word] = ~bitmap[word];
  }
  return true;
}

/// The active rows, one by one.
template <class T>
void compare_active(Comparison op, const Vector& a, const Vector& b, const ActiveSet& rows,
                    uint64_t* bitmap) {
  std::fill_n(bitmap, bits::words(rows.rows()), 0);
  const Reader<T> left(a);
  const Reader<T> right(b);
  rows.for_each([&](uint32_t row) {
    if (holds(op, left[row], right[row])) bits::set(bitmap, row);
  });
}

}  // namespace

const uint64_t* rows_where(Comparison op, const Vector& a, const Vector& b, const ActiveSet& rows,
                           EvalContext& context) {
  const size_t words = bits::words(rows.rows());
  auto* bitmap = context.arena->allocate<uint64_t>(words + 1);
  const bool dense = rows.density() >= kDense && !(a.constant && b.constant);
  const bool done = visit(a.type.physical(), [&](auto zero) {
    using T = decltype(zero);
    if constexpr (is_number<T> && sizeof(T) <= 8) {
      if (dense) compare_all<T>(op, a, b, rows.rows(), context.target, bitmap);
      if (dense) return true;
    } else if constexpr (std::is_same_v<T, std::string_view>) {
      if (dense && compare_texts(op, a, b, rows.rows(), bitmap)) return true;
    }
    compare_active<T>(op, a, b, rows, bitmap);
    return false;
  });
  if (done) {
    const uint64_t* active = rows.bitmap();
    for (size_t word = 0; word < words; ++word) bitmap[word] &= active[word];
  }
  return bitmap;
}

}  // namespace lanewise::expr
