#pragma once

#include "expr/arithmetic/operators.h"
#include "expr/vectors/loops.h"
#include "primitives/kernels.h"

namespace lanewise::expr {

/// If at least this fraction of rows is active, all rows are computed: a loop without branches beats one over
/// active rows. Failures in inactive rows are ignored.
inline constexpr double kSpeculate = 0.25;

/// The types that primitives/kernels.h has loops for.
template <class T>
inline constexpr bool has_kernels = sizeof(T) <= 8 && is_number<T>;

constexpr kernels::Arithmetic kernel_of(Sign sign) {
  return sign == Sign::kPlus    ? kernels::Arithmetic::add
         : sign == Sign::kMinus ? kernels::Arithmetic::subtract
                                : kernels::Arithmetic::multiply;
}

/// Computes all rows; false if an active one may have failed.
template <class Operator, class T = typename Operator::T>
bool run_all(const Vector& left, const Vector& right, const ActiveSet& rows, lanes::Target target, T* out) {
  const T* a = left.as<T>();
  const T* b = right.as<T>();
  if constexpr (has_kernels<T>) {
    constexpr kernels::Arithmetic kOperation = kernel_of(Operator::kSign);
    const kernels::Kernels<T>& run = kernels::of<T>(target);
    const uint64_t* active = rows.all() ? nullptr : rows.bitmap();
    const size_t count = rows.rows();
    const size_t done = left.constant    ? run.arithmetic_left(kOperation, *a, b, count, active, out)
                        : right.constant ? run.arithmetic_right(kOperation, a, *b, count, active, out)
                                         : run.arithmetic(kOperation, a, b, count, active, out);
    if (!Operator::kChecked) return true;
    if (done != count) return false;
    if (!Operator::kBounded) return true;
    const kernels::MinMax<T> range = run.min_max(out, active, count);
    return !range.any || (range.min >= -kDecimalMax<T> && range.max <= kDecimalMax<T>);
  } else {
    const size_t a_stride = left.constant ? 0 : 1;
    const size_t b_stride = right.constant ? 0 : 1;
    bool failed = false;
    for (uint32_t row = 0; row < rows.rows(); ++row) {
      failed |= Operator::run(a[row * a_stride], b[row * b_stride], out[row]);
    }
    return !failed;
  }
}

/// Evaluates `Operator` over two arguments, not both constant; raises for the first active row that
/// fails.
template <class Operator>
Vector evaluate_operator(Type type, const Vector& left, const Vector& right, const ActiveSet& rows,
                         EvalContext& context) {
  using T = typename Operator::T;
  T* out;
  const Vector result = new_vector<T>(type, rows.rows(), *context.arena, out);
  const bool both_constant = left.constant && right.constant;
  if (!both_constant && rows.density() >= kSpeculate &&
      run_all<Operator>(left, right, rows, context.target, out)) {
    return result;
  }
  const Reader<T> a(left);
  const Reader<T> b(right);
  rows.for_each([&](uint32_t row) {
    if (Operator::run(a[row], b[row], out[row])) Operator::fail(a[row], b[row], type.physical());
  });
  return result;
}

}  // namespace lanewise::expr
