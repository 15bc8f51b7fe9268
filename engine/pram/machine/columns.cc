#include "pram/machine/columns.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>

#include "base/error.h"
#include "pram/machine/operators.h"

namespace lanewise::pram {

namespace {

/// f(a, out) returns whether it failed.
template <class F>
bool each(const Word* a, Word* out, uint32_t count, F f) {
  bool failed = false;
  for (uint32_t i = 0; i < count; ++i) failed |= f(a[i], out[i]);
  return failed;
}

template <class F>
bool each(const Word* a, const Word* b, Word* out, uint32_t count, F f) {
  bool failed = false;
  for (uint32_t i = 0; i < count; ++i) failed |= f(a[i], b[i], out[i]);
  return failed;
}

/// The same for integers of 32 bits, whose results must fit.
template <class F>
bool integers(Type type, const Word* a, const Word* b, Word* out, uint32_t count, F f) {
  if (type == Type::kInt) return each(a, b, out, count, f);
  return each(a, b, out, count,
              [&](Word x, Word y, Word& to) { return f(x, y, to) | operators::fit_int32(to); });
}

/// f(a, b) returns a word and never fails.
template <class F>
bool words(const Word* a, const Word* b, Word* out, uint32_t count, F f) {
  for (uint32_t i = 0; i < count; ++i) out[i] = f(a[i], b[i]);
  return false;
}

template <class F>
bool reals(const Word* a, const Word* b, Word* out, uint32_t count, F f) {
  return words(a, b, out, count, [&](Word x, Word y) { return word_of(f(real_of(x), real_of(y))); });
}

template <class F>
bool reals(const Word* a, Word* out, uint32_t count, F f) {
  for (uint32_t i = 0; i < count; ++i) out[i] = word_of(f(real_of(a[i])));
  return false;
}

template <class F>
bool compare(Type from, const Word* a, const Word* b, Word* out, uint32_t count, F f) {
  if (from == Type::kReal) {
    return words(a, b, out, count, [&](Word x, Word y) { return Word{f(real_of(x), real_of(y))}; });
  }
  return words(a, b, out, count, [&](Word x, Word y) { return Word{f(x, y)}; });
}

bool convert(Type type, Type from, const Word* a, Word* out, uint32_t count) {
  if (type == Type::kReal) {
    return each(a, out, count, [](Word x, Word& to) { return to = word_of(static_cast<double>(x)), false; });
  }
  const bool narrow = type == Type::kInt32;
  if (from == Type::kReal) {
    return each(a, out, count, [&](Word x, Word& to) {
      return operators::to_integer(real_of(x), to) | (narrow && operators::fit_int32(to));
    });
  }
  return each(a, out, count, [&](Word x, Word& to) {
    to = x;
    return narrow && operators::fit_int32(x);
  });
}

bool integer(Op op, Type type, const Word* a, Word* out, uint32_t count) {
  const auto fitted = [&](auto f) {
    if (type == Type::kInt) return each(a, out, count, f);
    return each(a, out, count, [&](Word x, Word& to) { return f(x, to) | operators::fit_int32(to); });
  };
  switch (op) {
    case Op::kNegate:
      return fitted([](Word x, Word& to) { return operators::negate(x, to); });
    case Op::kAbs:
      return fitted([](Word x, Word& to) { return operators::absolute(x, to); });
    case Op::kLog2:
      return fitted([](Word x, Word& to) { return operators::log2(x, to); });
    default:
      throw InternalError("no operator of one integer");
  }
}

bool arithmetic(Op op, const Word* a, const Word* b, Word* out, uint32_t count) {
  switch (op) {
    case Op::kAdd:
      return reals(a, b, out, count, [](double x, double y) { return x + y; });
    case Op::kSubtract:
      return reals(a, b, out, count, [](double x, double y) { return x - y; });
    case Op::kMultiply:
      return reals(a, b, out, count, [](double x, double y) { return x * y; });
    case Op::kDivide:
      return reals(a, b, out, count, [](double x, double y) { return x / y; });
    case Op::kMin:
      return reals(a, b, out, count, operators::min_real);
    case Op::kMax:
      return reals(a, b, out, count, operators::max_real);
    default:
      throw InternalError("no operator of two reals");
  }
}

/// By 2, and other powers of it that all processors share, without division, which takes ten times as long.
bool divide(Op op, Type type, const Word* a, const Word* b, Word* out, uint32_t count) {
  const Word divisor = b[0];
  const bool simple = divisor > 0 && (divisor & (divisor - 1)) == 0 &&
                      std::all_of(b, b + count, [&](Word other) { return other == divisor; });
  if (simple && op == Op::kDivide) {
    const int shift = std::countr_zero(static_cast<uint64_t>(divisor));
    return words(a, b, out, count, [shift](Word x, Word) { return x >> shift; });
  }
  if (simple) return words(a, b, out, count, [divisor](Word x, Word) { return x & (divisor - 1); });
  if (op == Op::kDivide) {
    return integers(type, a, b, out, count,
                    [](Word x, Word y, Word& to) { return operators::divide(x, y, to); });
  }
  return integers(type, a, b, out, count,
                  [](Word x, Word y, Word& to) { return operators::modulo(x, y, to); });
}

}  // namespace

bool apply(Op op, Type type, Type from, const Word* a, Word* out, uint32_t count) {
  if (op == Op::kConvert) return convert(type, from, a, out, count);
  if (op == Op::kNot) {
    return each(a, out, count, [](Word x, Word& to) { return to = x ^ 1, false; });
  }
  if (from != Type::kReal) return integer(op, type, a, out, count);
  switch (op) {
    case Op::kNegate:
      return reals(a, out, count, [](double x) { return -x; });
    case Op::kAbs:
      return reals(a, out, count, [](double x) { return std::fabs(x); });
    case Op::kSqrt:
      return reals(a, out, count, [](double x) { return std::sqrt(x); });
    case Op::kFloor:
      return reals(a, out, count, [](double x) { return std::floor(x); });
    case Op::kCeil:
      return reals(a, out, count, [](double x) { return std::ceil(x); });
    default:
      throw InternalError("no operator of one real");
  }
}

bool apply(Op op, Type from, const Word* a, const Word* b, Word* out, uint32_t count) {
  switch (op) {
    case Op::kEqual:
      return compare(from, a, b, out, count, [](auto x, auto y) { return x == y; });
    case Op::kNotEqual:
      return compare(from, a, b, out, count, [](auto x, auto y) { return x != y; });
    case Op::kLess:
      return compare(from, a, b, out, count, [](auto x, auto y) { return x < y; });
    case Op::kLessEqual:
      return compare(from, a, b, out, count, [](auto x, auto y) { return x <= y; });
    case Op::kGreater:
      return compare(from, a, b, out, count, [](auto x, auto y) { return x > y; });
    case Op::kGreaterEqual:
      return compare(from, a, b, out, count, [](auto x, auto y) { return x >= y; });
    case Op::kAnd:
    case Op::kBitAnd:
      return words(a, b, out, count, [](Word x, Word y) { return x & y; });
    case Op::kOr:
    case Op::kBitOr:
      return words(a, b, out, count, [](Word x, Word y) { return x | y; });
    case Op::kXor:
      return words(a, b, out, count, [](Word x, Word y) { return x ^ y; });
    default:
      break;
  }
  if (from == Type::kReal) return arithmetic(op, a, b, out, count);
  switch (op) {
    case Op::kAdd:
      return integers(from, a, b, out, count,
                      [](Word x, Word y, Word& to) { return operators::add(x, y, to); });
    case Op::kSubtract:
      return integers(from, a, b, out, count,
                      [](Word x, Word y, Word& to) { return operators::subtract(x, y, to); });
    case Op::kMultiply:
      return integers(from, a, b, out, count,
                      [](Word x, Word y, Word& to) { return operators::multiply(x, y, to); });
    case Op::kDivide:
      return divide(Op::kDivide, from, a, b, out, count);
    case Op::kModulo:
      return divide(Op::kModulo, from, a, b, out, count);
    case Op::kShiftLeft:
      return integers(from, a, b, out, count,
                      [](Word x, Word y, Word& to) { return operators::shift_left(x, y, to); });
    case Op::kShiftRight:
      return integers(from, a, b, out, count,
                      [](Word x, Word y, Word& to) { return operators::shift_right(x, y, to); });
    case Op::kMin:
      return words(a, b, out, count, [](Word x, Word y) { return x < y ? x : y; });
    case Op::kMax:
      return words(a, b, out, count, [](Word x, Word y) { return x < y ? y : x; });
    default:
      throw InternalError("no operator of two words");
  }
}

std::string failure(Op op, Type type, Type from, Word a, Word b) {
  const std::string x = to_text(from, a);
  const std::string y = to_text(from, b);
  switch (op) {
    case Op::kConvert:
      return fmt::format("{} does not fit {}", x, name(type));
    case Op::kLog2:
      return fmt::format("log2({}): only positive numbers have a logarithm", x);
    case Op::kNegate:
      return fmt::format("-({}) overflows {}", x, name(type));
    case Op::kAbs:
      return fmt::format("abs({}) overflows {}", x, name(type));
    case Op::kShiftLeft:
    case Op::kShiftRight:
      if (b < 0 || b > 63) return fmt::format("{}({}, {}): a shift is by 0 to 63 bits", name(op), x, y);
      return fmt::format("{}({}, {}) overflows {}", name(op), x, y, name(type));
    case Op::kDivide:
    case Op::kModulo:
      if (b == 0) return fmt::format("{} {} 0: division by zero", x, name(op));
      [[fallthrough]];
    default:
      return fmt::format("{} {} {} overflows {}", x, name(op), y, name(type));
  }
}

}  // namespace lanewise::pram
