#include "pram/meta/polynomial.h"

#include <fmt/format.h>

#include <algorithm>

namespace lanewise::pram {

std::string key_of(const Expr& expr) {
  std::string key = fmt::format("{}.{}.{}.{}", static_cast<int>(expr.op), static_cast<int>(expr.type),
                                expr.index, expr.word);
  for (const ExprPtr& arg : expr.args) key += fmt::format("({})", key_of(*arg));
  return key;
}

bool is_fixed(const Expr& expr) {
  bool fixed = true;
  walk(expr, [&](const Expr& part) {
    fixed = fixed && part.op != Op::kProcessor && part.op != Op::kPrivate && part.op != Op::kCell &&
            part.op != Op::kLet;
  });
  return fixed;
}

bool Polynomial::has_processor(const Product& product) {
  return std::any_of(product.begin(), product.end(), is_processor);
}

bool Polynomial::same_for_all() const {
  return std::none_of(terms_.begin(), terms_.end(),
                      [](const auto& term) { return has_processor(term.first); });
}

Polynomial Polynomial::term(const Product& product, int64_t number) {
  Polynomial result;
  result.add(product, number);
  return result;
}

bool Polynomial::add(const Product& product, int64_t number) {
  int64_t& sum = terms_[product];
  if (__builtin_add_overflow(sum, number, &sum)) return false;
  if (sum == 0) terms_.erase(product);
  return true;
}

std::optional<Polynomial> Polynomial::plus(const Polynomial& other, int64_t times) const {
  Polynomial result = *this;
  for (const auto& [product, number] : other.terms_) {
    int64_t scaled = 0;
    if (__builtin_mul_overflow(number, times, &scaled) || !result.add(product, scaled)) return std::nullopt;
  }
  return result;
}

std::optional<Polynomial> Polynomial::times(const Polynomial& other) const {
  Polynomial result;
  for (const auto& [a, x] : terms_) {
    for (const auto& [b, y] : other.terms_) {
      Product product = a;
      product.insert(product.end(), b.begin(), b.end());
      std::sort(product.begin(), product.end());
      int64_t number = 0;
      if (__builtin_mul_overflow(x, y, &number) || !result.add(product, number)) return std::nullopt;
    }
  }
  return result;
}

std::optional<Polynomial> Polynomial::of(const Expr& expr) {
  if (!is_integer(expr.type)) return std::nullopt;
  const auto arg = [&](size_t i) { return of(*expr.args[i]); };
  switch (expr.op) {
    case Op::kLiteral:
      return term({}, expr.word);
    case Op::kProcessor:
      return term({fmt::format("p{}", expr.index)}, 1);
    case Op::kConvert:
      if (is_integer(expr.args[0]->type)) return arg(0);  // the same number, or an error
      break;
    case Op::kNegate:
      if (const auto a = arg(0)) return Polynomial().plus(*a, -1);
      break;
    case Op::kAdd:
    case Op::kSubtract:
    case Op::kMultiply: {
      const auto a = arg(0);
      const auto b = arg(1);
      if (!a || !b) break;
      return expr.op == Op::kMultiply ? a->times(*b) : a->plus(*b, expr.op == Op::kAdd ? 1 : -1);
    }
    default:
      break;
  }
  if (is_fixed(expr)) return term({"=" + key_of(expr)}, 1);
  return std::nullopt;
}

}  // namespace lanewise::pram
