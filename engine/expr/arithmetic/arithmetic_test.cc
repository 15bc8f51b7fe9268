#include <gtest/gtest.h>

#include <algorithm>
#include <bitset>
#include <cmath>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "data/vector.h"
#include "expr/evaluation/evaluate.h"
#include "expr/functions/build.h"
#include "expr/numbers.h"

/// Arithmetic and bit operations against an oracle that computes bit by bit, for all pairs of the values next
/// to the limits of their type.
namespace lanewise {
namespace arithmetic_test {
namespace {

/// Two's complement, wide enough for the product of any two integers.
constexpr size_t kBits = 264;
using Wide = std::bitset<kBits>;

bool is_negative(const Wide& a) { return a[kBits - 1]; }
Wide plus(const Wide& a, const Wide& b, bool carry = false) {
  Wide sum;
  for (size_t i = 0; i < kBits; ++i) {
    sum[i] = a[i] ^ b[i] ^ carry;
    carry = (a[i] && b[i]) || (carry && (a[i] || b[i]));
  }
  return sum;
}
Wide minus(const Wide& a, const Wide& b) { return plus(a, ~b, true); }
Wide negated(const Wide& a) { return minus({}, a); }
Wide size_of(const Wide& a) { return is_negative(a) ? negated(a) : a; }
bool less(const Wide& a, const Wide& b) { return is_negative(minus(a, b)); }
Wide times(const Wide& a, const Wide& b) {
  Wide product;
  for (size_t i = 0; i < kBits; ++i) {
    if (b[i]) product = plus(product, a << i);
  }
  return product;
}

struct Division {
  Wide quotient, rest;
};
/// By schoolbook, towards 0; the rest has the sign of `a`.
Division divide(const Wide& a, const Wide& b) {
  const Wide dividend = size_of(a), divisor = size_of(b);
  Division result;
  for (size_t i = 129; i-- > 0;) {  // the bits of an integer's size
    result.rest <<= 1;
    result.rest[0] = dividend[i];
    if (less(result.rest, divisor)) continue;
    result.rest = minus(result.rest, divisor);
    result.quotient[i] = true;
  }
  if (is_negative(a) != is_negative(b)) result.quotient = negated(result.quotient);
  if (is_negative(a)) result.rest = negated(result.rest);
  return result;
}

bool has_sign(const Type& type) { return !type.is_unsigned_integer(); }
Wide wide(const Value& value) {
  Wide bits;
  const bool negative = has_sign(value.type()) && value.integer() < 0;
  const uint128_t low = has_sign(value.type()) ? static_cast<uint128_t>(value.integer()) : value.natural();
  for (size_t i = 0; i < kBits; ++i) bits[i] = i < 128 ? (low >> i & 1) != 0 : negative;
  return bits;
}
size_t width_of(const Type& type) { return 8 * width(type.physical()); }
/// The value of the lowest bits.
Value low_bits(const Type& type, const Wide& bits) {
  uint128_t low = 0;
  for (size_t i = 0; i < 128; ++i) {
    const bool filled = i >= width_of(type) && has_sign(type);
    if (bits[filled ? width_of(type) - 1 : i] && (filled || i < width_of(type))) low |= uint128_t{1} << i;
  }
  if (has_sign(type)) return {type, static_cast<int128_t>(low)};
  return {type, low};
}

/// Nothing: the function raises an error.
using Answer = std::optional<Value>;
Answer checked(const Type& type, const Wide& bits) {
  if (type.id == TypeId::kDecimal) {
    const Value limit(type, expr::power_of_ten(type.physical() == Physical::kInt64 ? 18 : 38));
    if (!less(size_of(bits), wide(limit))) return std::nullopt;
  }
  const Value value = low_bits(type, bits);
  return wide(value) == bits ? Answer(value) : std::nullopt;
}

/// The number of a shift, or SIZE_MAX: all bits leave.
size_t bits_to_move(const Wide& by) { return is_negative(by) || (by >> 10).any() ? SIZE_MAX : by.to_ulong(); }
Answer shifted_left(const Type& type, const Wide& a, const Wide& by) {
  if (is_negative(a) || is_negative(by)) return std::nullopt;
  if (a.none()) return low_bits(type, a);
  return bits_to_move(by) < width_of(type) ? checked(type, a << bits_to_move(by)) : std::nullopt;
}
Answer shifted_right(const Type& type, const Wide& a, const Wide& by) {
  if (bits_to_move(by) >= width_of(type)) return low_bits(type, {});
  Wide result = a;
  for (size_t i = bits_to_move(by); i > 0; --i) {
    result >>= 1;
    result[kBits - 1] = is_negative(a);
  }
  return low_bits(type, result);
}

Answer of_integers(std::string_view name, const Type& type, const Wide& a, const Wide& b) {
  if (name == "+") return checked(type, plus(a, b));
  if (name == "-") return checked(type, minus(a, b));
  if (name == "*") return checked(type, times(a, b));
  if (name == "&") return low_bits(type, a & b);
  if (name == "|") return low_bits(type, a | b);
  if (name == "xor") return low_bits(type, a ^ b);
  if (name == "<<") return shifted_left(type, a, b);
  if (name == ">>") return shifted_right(type, a, b);
  if (b.none()) return Value(type);
  const Division division = divide(a, b);
  if (!checked(type, division.quotient)) return std::nullopt;  // DuckDB's % raises there, too
  return low_bits(type, name == "//" ? division.quotient : division.rest);
}
Answer of_integer(std::string_view name, const Type& type, const Wide& a) {
  if (name == "~") return low_bits(type, ~a);
  if (name == "+") return low_bits(type, a);
  return has_sign(type) ? checked(type, negated(a)) : low_bits(type, negated(a));  // as in DuckDB
}

// In 113 bits, more than twice those of a double: rounding twice gives the same as rounding once.
__extension__ typedef __float128 Quad;
template <class T>
T rounded(Quad value) {
  return static_cast<T>(value);
}
/// What remains of `a` after subtracting multiples of `b`, of which each difference is exact.
template <class T>
T rest(T a, T b) {
  if (std::isnan(a) || std::isnan(b) || std::isinf(a) || b == 0) return std::numeric_limits<T>::quiet_NaN();
  const Quad size = std::fabs(b);
  if (std::isinf(b)) return a;
  Quad left = std::fabs(a);
  while (left >= size) {
    Quad multiple = size;
    while (multiple * 2 <= left) multiple *= 2;
    left -= multiple;
  }
  return std::copysign(rounded<T>(left), a);
}
template <class T>
Answer of_floats(std::string_view name, const Type& type, T a, T b) {
  const Quad x = a, y = b;
  if (name == "+") return Value(type, double{rounded<T>(x + y)});
  if (name == "-") return Value(type, double{rounded<T>(x - y)});
  if (name == "*") return Value(type, double{rounded<T>(x * y)});
  if (name == "%") return Value(type, double{rest(a, b)});
  if (name == "//" && b == 0) return Value(type);
  return Value(type, double{rounded<T>(x / y)});
}
Answer of_float(std::string_view name, const Type& type, double a) {
  return Value(type, name == "-" ? std::copysign(a, std::signbit(a) ? 1.0 : -1.0) : a);
}

/// `type`: of the result, which for sums of decimals is not that of the arguments.
Answer answer(std::string_view name, const Type& type, const std::vector<Value>& args) {
  for (const Value& arg : args) {
    if (arg.is_null()) return Value(type);
  }
  if (args.size() == 1 && type.is_float()) return of_float(name, type, args[0].real());
  if (args.size() == 1) return of_integer(name, type, wide(args[0]));
  if (type.id == TypeId::kFloat32)
    return of_floats(name, type, static_cast<float>(args[0].real()), static_cast<float>(args[1].real()));
  if (type.is_float()) return of_floats(name, type, args[0].real(), args[1].real());
  return of_integers(name, type, wide(args[0]), wide(args[1]));
}

/// -0.0 is not 0.0, but all NaN are alike.
bool same(const Value& a, const Value& b) {
  if (a != b || a.is_null() || !a.type().is_float() || std::isnan(a.real())) return a == b;
  return std::signbit(a.real()) == std::signbit(b.real());
}

/// The limits, and what is next to them and to powers of two, and NULL.
std::vector<Value> integers(const Type& type) {
  std::vector<Value> values = {Value(type)};
  const auto add = [&](const Wide& bits) {
    const Value value = low_bits(type, bits);
    if (wide(value) == bits && std::ranges::find(values, value) == values.end()) values.push_back(value);
  };
  for (const size_t bit : {size_t{0}, size_t{1}, size_t{2}, width_of(type) / 2, width_of(type) - 2,
                           width_of(type) - 1, width_of(type)}) {
    const Wide power = Wide{1} << bit;
    for (const Wide& near : {power, minus(power, Wide{1}), plus(power, Wide{1})}) {
      add(near);
      add(negated(near));
    }
  }
  for (const unsigned long other : {5UL, 7UL, 8UL, 9UL, 31UL, 32UL, 63UL, 64UL, 65UL, 100UL, 128UL, 129UL})
    add(Wide{other});
  return values;
}
std::vector<Value> decimals(const Type& type) {
  std::vector<Value> values = {Value(type)};
  const int128_t limit = expr::power_of_ten(type.precision);
  for (const int128_t size : {int128_t{0}, int128_t{1}, int128_t{2}, int128_t{7}, int128_t{100},
                              int128_t{12'345}, limit / 2, limit / 2 + 1, limit - 2, limit - 1}) {
    values.emplace_back(type, size % limit);
    values.emplace_back(type, -(size % limit));
  }
  return values;
}
template <class T>
std::vector<Value> floats(const Type& type) {
  using Limits = std::numeric_limits<T>;
  std::vector<Value> values = {Value(type), Value(type, double{Limits::quiet_NaN()})};
  for (const T size : {T{0}, Limits::denorm_min(), Limits::min(), Limits::epsilon(), T(0.1), T(0.5), T(1),
                       T(3), T(10), T(1e30), T(7.25e-30), Limits::max(), Limits::infinity()}) {
    values.emplace_back(type, double{size});
    values.emplace_back(type, double{-size});
  }
  return values;
}

/// All combinations of `values`, as columns of `args` arguments.
class Combinations {
 public:
  Combinations(const Type& type, size_t args, const std::vector<Value>& values) {
    for (const Value& a : values) {
      if (args == 1) tuples_.push_back({a});
      for (const Value& b : args == 1 ? std::vector<Value>{} : values) tuples_.push_back({a, b});
    }
    for (size_t i = 0; i < args; ++i) {
      std::vector<Value> column;
      for (const std::vector<Value>& tuple : tuples_) column.push_back(tuple[i]);
      columns_.push_back(make_column(type, column));
      vectors_.push_back(slice(*columns_.back(), 0, rows(), arena_));
      args_.push_back(lanewise::column(i, type));
    }
  }

  /// Whether the evaluator gives the oracle's answers in every row, and raises errors in no other row.
  void check(std::string_view name) {
    SCOPED_TRACE(std::string(name) + " of " + args_[0]->type.name());
    const ExprPtr call = lanewise::call(name, args_);
    std::vector<Answer> answers;
    for (const std::vector<Value>& tuple : tuples_) answers.push_back(answer(name, call->type, tuple));
    for (const uint32_t step : {1U, 3U, 40U}) {  // more and more gaps
      for (uint32_t first = 0; first < std::min(step, 3U); ++first) {
        const ActiveSet rows =
            active([&](uint32_t row) { return row % step == first && answers[row].has_value(); });
        const Vector result = evaluate(*call, vectors_, rows, context_);
        rows.for_each([&](uint32_t row) {
          const Value value = value_at(result, result.constant ? 0 : row);
          ASSERT_TRUE(same(value, *answers[row]))
              << text(row) << ": " << value.to_string() << ", not " << answers[row]->to_string();
        });
      }
    }
    for (uint32_t failing = 0; failing < rows(); ++failing) {
      if (answers[failing]) continue;
      const ActiveSet rows = active([&](uint32_t row) { return row == failing; });
      ASSERT_THROW(evaluate(*call, vectors_, rows, context_), UserError) << text(failing);
    }
  }

 private:
  uint32_t rows() const { return static_cast<uint32_t>(tuples_.size()); }
  template <class F>
  ActiveSet active(F is_active) {
    auto* keep = arena_.allocate<uint64_t>(bits::words(rows()) + 1);
    std::fill_n(keep, bits::words(rows()) + 1, 0);
    for (uint32_t row = 0; row < rows(); ++row) {
      if (is_active(row)) bits::set(keep, row);
    }
    return ActiveSet(rows(), arena_).narrowed(keep);
  }
  std::string text(uint32_t row) const {
    std::string result;
    for (const Value& value : tuples_[row]) result += value.to_string() + " ";
    return result;
  }

  Arena arena_;
  EvalContext context_{.arena = &arena_};
  std::vector<std::vector<Value>> tuples_;
  std::vector<ColumnPtr> columns_;
  std::vector<Vector> vectors_;
  std::vector<ExprPtr> args_;
};

void check(const Type& type, const std::vector<Value>& values, std::initializer_list<const char*> of_one,
           std::initializer_list<const char*> of_two) {
  Combinations one(type, 1, values), two(type, 2, values);
  for (const char* name : of_one) one.check(name);
  for (const char* name : of_two) two.check(name);
}

TEST(Arithmetic, OfIntegersIsThatOfTheirBits) {
  for (const TypeId id :
       {TypeId::kInt8, TypeId::kInt16, TypeId::kInt32, TypeId::kInt64, TypeId::kInt128, TypeId::kUInt8,
        TypeId::kUInt16, TypeId::kUInt32, TypeId::kUInt64, TypeId::kUInt128})
    check(id, integers(id), {"+", "-", "~"}, {"+", "-", "*", "//", "%", "&", "|", "xor", "<<", ">>"});
}

TEST(Arithmetic, OfDecimalsIsThatOfTheirDigits) {
  for (const Type& type : {Type::decimal(4, 1), Type::decimal(9, 2), Type::decimal(18, 3),
                           Type::decimal(19, 0), Type::decimal(38, 10)})
    check(type, decimals(type), {"+", "-"}, {"+", "-", "%"});
  for (const Type& type :
       {Type::decimal(4, 1), Type::decimal(9, 2), Type::decimal(18, 3), Type::decimal(38, 10)})
    check(type, decimals(type), {}, {"*"});
}

TEST(Arithmetic, OfFloatsIsThatOfLongerOnes) {
  check(TypeId::kFloat64, floats<double>(TypeId::kFloat64), {"+", "-"}, {"+", "-", "*", "/", "//", "%"});
  check(TypeId::kFloat32, floats<float>(TypeId::kFloat32), {"+", "-"}, {"+", "-", "*", "/", "//", "%"});
}

// The answers are DuckDB's.
TEST(Arithmetic, KnownValues) {
  const auto text = [](const char* name, const std::vector<int64_t>& numbers) {
    std::vector<ExprPtr> args;
    for (const int64_t number : numbers) args.push_back(literal(Value::int64(number)));
    return evaluate_reference(*call(name, args), {}).to_string();
  };
  EXPECT_EQ(text("//", {-7, 2}), "-3");
  EXPECT_EQ(text("%", {-7, 4}), "-3");
  EXPECT_EQ(text("%", {7, -4}), "3");
  EXPECT_EQ(text("//", {1, 0}), "NULL");
  EXPECT_EQ(text("xor", {12, 10}), "6");
  EXPECT_EQ(text("~", {12}), "-13");
  EXPECT_EQ(text("<<", {3, 4}), "48");
  EXPECT_EQ(text("<<", {0, 65}), "0");
  EXPECT_EQ(text(">>", {-64, 3}), "-8");
  EXPECT_EQ(text(">>", {-64, 64}), "0");
  EXPECT_EQ(text(">>", {-64, -1}), "0");
  EXPECT_THROW(text("//", {INT64_MIN, -1}), UserError);
  EXPECT_THROW(text("%", {INT64_MIN, -1}), UserError);
  EXPECT_THROW(text("<<", {1, 63}), UserError);
}

}  // namespace
}  // namespace arithmetic_test
}  // namespace lanewise
