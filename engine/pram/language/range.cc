#include "pram/language/range.h"

#include <algorithm>

namespace lanewise::pram {

namespace {

constexpr int64_t kNoLeast = std::numeric_limits<int64_t>::min();
constexpr int64_t kNoGreatest = std::numeric_limits<int64_t>::max();

constexpr Range kEither = {0, 1};

Range add(const Range& a, const Range& b) {
  Range sum;
  const bool below = a.least != kNoLeast && b.least != kNoLeast;
  if (!below || __builtin_add_overflow(a.least, b.least, &sum.least)) sum.least = kNoLeast;
  const bool above = a.greatest != kNoGreatest && b.greatest != kNoGreatest;
  if (!above || __builtin_add_overflow(a.greatest, b.greatest, &sum.greatest)) sum.greatest = kNoGreatest;
  return sum;
}

Range negate(const Range& a) {
  return {a.greatest == kNoGreatest ? kNoLeast : -a.greatest, a.least == kNoLeast ? kNoGreatest : -a.least};
}

/// The range of products of numbers that are not negative; others are not examined.
Range multiply(const Range& a, const Range& b) {
  if (a.least < 0 || b.least < 0) return {};
  Range product;
  if (__builtin_mul_overflow(a.least, b.least, &product.least)) product.least = kNoGreatest;
  const bool bounded = a.greatest != kNoGreatest && b.greatest != kNoGreatest;
  if (!bounded || __builtin_mul_overflow(a.greatest, b.greatest, &product.greatest)) {
    product.greatest = kNoGreatest;
  }
  return product;
}

/// The range of remainders; the sign of the divisor is that of the remainder.
Range remainder(const Range& divisor) {
  if (divisor.least <= 0) return {};
  return {0, divisor.greatest == kNoGreatest ? kNoGreatest : divisor.greatest - 1};
}

Range min(const Range& a, const Range& b) {
  return {std::min(a.least, b.least), std::min(a.greatest, b.greatest)};
}

Range max(const Range& a, const Range& b) {
  return {std::max(a.least, b.least), std::max(a.greatest, b.greatest)};
}

Range either(const Range& a, const Range& b) {
  return {std::min(a.least, b.least), std::max(a.greatest, b.greatest)};
}

Range less(const Range& a, const Range& b) {
  if (a.greatest < b.least) return {1, 1};
  // An end of int64 is not a known bound.
  if (a.least >= b.greatest && b.greatest != kNoGreatest && a.least != kNoLeast) return {0, 0};
  return kEither;
}

Range equal(const Range& a, const Range& b) {
  if (a.greatest < b.least || b.greatest < a.least) return {0, 0};
  return a.least == a.greatest && a == b ? Range{1, 1} : kEither;
}

Range negated_range(const Range& a) { return {1 - a.greatest, 1 - a.least}; }

/// Whether the expressions are equal and constant throughout the program.
bool same(const Expr& a, const Expr& b) {
  return a.op == b.op && a.op != Op::kControl && a.word == b.word && a.index == b.index &&
         std::equal(a.args.begin(), a.args.end(), b.args.begin(), b.args.end(),
                    [](const ExprPtr& x, const ExprPtr& y) { return same(*x, *y); });
}

const Expr& extent_of(const Expr& processor, const Tree& tree) {
  return *tree.blocks[static_cast<size_t>(processor.word)].dimensions[processor.index].extent;
}

/// Whether `a` is a processor's number and `b` the number of processors: then a < b.
bool below_extent(const Expr& a, const Expr& b, const Tree& tree) {
  return a.op == Op::kProcessor && same(extent_of(a, tree), b);
}

Range compared(const Expr& expr, const Tree& tree) {
  const Expr& left = *expr.args[0];
  const Expr& right = *expr.args[1];
  Range a = range_of(left, tree);
  Range b = range_of(right, tree);
  if (below_extent(left, right, tree)) a = {0, 0}, b = {1, 1};
  if (below_extent(right, left, tree)) a = {1, 1}, b = {0, 0};
  switch (expr.op) {
    case Op::kLess:
      return less(a, b);
    case Op::kGreater:
      return less(b, a);
    case Op::kLessEqual:
      return negated_range(less(b, a));
    case Op::kGreaterEqual:
      return negated_range(less(a, b));
    case Op::kEqual:
      return equal(a, b);
    default:
      return negated_range(equal(a, b));
  }
}

Range parameter_range(const Parameter& parameter, const Tree& tree) {
  if (parameter.value) return range_of(*parameter.value, tree);
  return parameter.kind == Parameter::Kind::kSize ? Range{0, kNoGreatest} : Range{};
}

Range processor_range(const Expr& processor, const Tree& tree) {
  const int64_t most = range_of(extent_of(processor, tree), tree).greatest;
  return {0, most == kNoGreatest ? most : std::max<int64_t>(most - 1, 0)};
}

}  // namespace

Range range_of(const Expr& expr, const Tree& tree) {
  if (expr.type == Type::kReal) return {};
  const auto of = [&](size_t arg) { return range_of(*expr.args[arg], tree); };
  switch (expr.op) {
    case Op::kLiteral:
      return {expr.word, expr.word};
    case Op::kParameter:
      return parameter_range(tree.parameters[expr.index], tree);
    case Op::kProcessor:
      return processor_range(expr, tree);
    case Op::kNegate:
      return negate(of(0));
    case Op::kAdd:
      return add(of(0), of(1));
    case Op::kSubtract:
      return add(of(0), negate(of(1)));
    case Op::kMultiply:
      return multiply(of(0), of(1));
    case Op::kAbs:
    case Op::kLog2:
      return {0, kNoGreatest};
    case Op::kModulo:
      return remainder(of(1));
    case Op::kMin:
    case Op::kAnd:
      return min(of(0), of(1));
    case Op::kMax:
    case Op::kOr:
      return max(of(0), of(1));
    case Op::kLess:
    case Op::kLessEqual:
    case Op::kGreater:
    case Op::kGreaterEqual:
    case Op::kEqual:
    case Op::kNotEqual:
      return compared(expr, tree);
    case Op::kNot:
      return negated_range(of(0));
    case Op::kChoose:
      return either(of(1), of(2));
    default:
      return expr.type == Type::kBool ? kEither : Range{};
  }
}

}  // namespace lanewise::pram
