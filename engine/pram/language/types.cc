#include "pram/language/types.h"

#include <algorithm>
#include <array>
#include <limits>

namespace lanewise::pram {

namespace {

bool accepts_real(Type type) { return type == Type::kReal; }

constexpr std::array<BuiltIn, 12> kBuiltIns = {{
    {"abs", Op::kAbs, 1, "a number", is_number, "the number without its sign"},
    {"bit_and", Op::kBitAnd, 2, "integers", is_integer, "bits that are set in both"},
    {"bit_or", Op::kBitOr, 2, "integers", is_integer, "bits that are set in one or both"},
    {"ceil", Op::kCeil, 1, "a real", accepts_real, "the least whole number that is not below"},
    {"floor", Op::kFloor, 1, "a real", accepts_real, "the greatest whole number that is not above"},
    {"log2", Op::kLog2, 1, "an integer", is_integer, "the logarithm to base 2, rounded down"},
    {"max", Op::kMax, 2, "numbers", is_number, "the greatest of two or more"},
    {"min", Op::kMin, 2, "numbers", is_number, "the least of two or more"},
    {"shift_left", Op::kShiftLeft, 2, "integers", is_integer, "a * 2^b, 0 <= b <= 63"},
    {"shift_right", Op::kShiftRight, 2, "integers", is_integer, "a / 2^b rounded down, 0 <= b <= 63"},
    {"sqrt", Op::kSqrt, 1, "a real", accepts_real, "the square root"},
    {"xor", Op::kXor, 2, "integers", is_integer, "bits that are set in one of both"},
}};

bool fits_int32(Word word) {
  return word >= std::numeric_limits<int32_t>::min() && word <= std::numeric_limits<int32_t>::max();
}

bool is_int_literal(const Expr& expr) { return expr.op == Op::kLiteral && expr.type == Type::kInt; }

}  // namespace

const BuiltIn* find_built_in(std::string_view name) {
  const auto found = std::find_if(kBuiltIns.begin(), kBuiltIns.end(),
                                  [&](const BuiltIn& function) { return function.name == name; });
  return found == kBuiltIns.end() ? nullptr : &*found;
}

std::vector<BuiltIn> built_ins() { return {kBuiltIns.begin(), kBuiltIns.end()}; }

ExprPtr make_literal(Type type, Word word, const Place& place) {
  return std::make_shared<Expr>(
      Expr{.op = Op::kLiteral, .type = type, .place = place, .word = word, .args = {}});
}

ExprPtr make_node(Op op, Type type, const Place& place, std::vector<ExprPtr> args, uint32_t index) {
  uint32_t height = 0;
  for (const ExprPtr& arg : args) height = std::max(height, arg->height);
  return std::make_shared<Expr>(Expr{
      .op = op, .type = type, .place = place, .index = index, .args = std::move(args), .height = height + 1});
}

ExprPtr widen(const ExprPtr& expr, Type to) {
  if (expr->type == to) return expr;
  if (to == Type::kReal && is_integer(expr->type)) {
    if (expr->op == Op::kLiteral) {
      return make_literal(to, word_of(static_cast<double>(expr->word)), expr->place);
    }
    return make_node(Op::kConvert, to, expr->place, {expr});
  }
  if (to == Type::kInt && expr->type == Type::kInt32) return make_node(Op::kConvert, to, expr->place, {expr});
  if (to == Type::kInt32 && is_int_literal(*expr) && fits_int32(expr->word)) {
    return make_literal(to, expr->word, expr->place);
  }
  return nullptr;
}

std::optional<Type> common_type(const Expr& a, const Expr& b) {
  if (a.type == b.type) return a.type;
  if (!is_number(a.type) || !is_number(b.type)) return std::nullopt;
  if (a.type == Type::kReal || b.type == Type::kReal) return Type::kReal;
  // One is an int32, the other an int: a literal takes the type of the other side.
  const Expr& wide = a.type == Type::kInt ? a : b;
  return is_int_literal(wide) && fits_int32(wide.word) ? Type::kInt32 : Type::kInt;
}

}  // namespace lanewise::pram
