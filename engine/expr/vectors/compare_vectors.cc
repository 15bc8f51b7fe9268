#include "expr/vectors/compare_vectors.h"

#include <algorithm>

#include "expr/numbers.h"
#include "expr/vectors/compare.h"
#include "expr/vectors/compare_texts.h"
#include "expr/vectors/comparison.h"
#include "expr/vectors/loops.h"

namespace lanewise::expr {

namespace {

/// Below this fraction of active rows, only these are compared.
constexpr double kDense = 0.05;

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

bool is_flat_text(const Vector& text) {
  return !text.constant && text.form == Vector::Form::kText && text.bytes != nullptr;
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
      if (b.constant && is_flat_text(a)) {
        compare_texts(op, a, b.text(0), rows, bitmap);
        return false;
      }
      if (a.constant && is_flat_text(b)) {
        compare_texts(mirrored(op), b, a.text(0), rows, bitmap);
        return false;
      }
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
