#pragma once

#include <algorithm>
#include <random>
#include <string_view>
#include <vector>

#include "expr/casts/cast.h"
#include "expr/expr.h"
#include "expr/functions/build.h"
#include "primitives/testing/random_column.h"

namespace lanewise::random {

/// Random trees of AND, OR, NOT, CASE, COALESCE, IN, BETWEEN, comparisons, arithmetic and casts over columns
/// of given types.
struct Generator {
  std::mt19937 random;
  std::vector<Type> columns;

  uint32_t pick(uint32_t n) { return static_cast<uint32_t>(random() % n); }

  static Value value(Type type, uint32_t k) {
    const Value any = random::value(type, k);
    if (type.id == TypeId::kVarchar && k % 2 == 0)
      return Value::varchar(std::to_string(static_cast<int>(k) - 5));
    if (!std::holds_alternative<int128_t>(any.held()) || type.id == TypeId::kBool) return any;
    if (type.id == TypeId::kTime)
      return {type, any.integer() < 0 ? -(any.integer() % 86'400'000'000) : any.integer() % 86'400'000'000};
    return {type, any.integer() % 1000};
  }

  ExprPtr leaf(Type type) {
    std::vector<size_t> fitting;
    for (size_t i = 0; i < columns.size(); ++i) {
      if (columns[i] == type) fitting.push_back(i);
    }
    if (!fitting.empty() && pick(4) != 0)
      return column(fitting[pick(static_cast<uint32_t>(fitting.size()))], type);
    return literal(pick(8) == 0 ? Value(type) : value(type, pick(30)));
  }

  std::vector<ExprPtr> some(Type type, uint32_t least, int depth) {
    std::vector<ExprPtr> result;
    for (uint32_t n = least + pick(3); n > 0; --n) result.push_back(any(type, depth));
    return result;
  }

  Type any_type() { return columns[pick(static_cast<uint32_t>(columns.size()))]; }

  /// Constant patterns on one column, joined by OR with other conditions.
  std::vector<ExprPtr> pattern_tests(int depth) {
    constexpr std::string_view kTests[] = {"contains", "prefix", "suffix", "~~*", "regexp_matches"};
    constexpr const char* kPatterns[] = {"1", "-", "a", "ab", "", "\xC3\xA4"};
    std::vector<ExprPtr> tests = some(TypeId::kBool, 0, depth);
    const auto found = std::find(columns.begin(), columns.end(), Type(TypeId::kVarchar));
    const auto text = static_cast<size_t>(found - columns.begin());
    for (uint32_t n = 1 + pick(4); n > 0; --n) {
      const Value pattern = Value::varchar(kPatterns[pick(std::size(kPatterns))]);
      tests.push_back(call(kTests[pick(std::size(kTests))], {column(text, columns[text]), literal(pattern)}));
    }
    return tests;
  }

  ExprPtr condition(int depth) {
    const Type type = any_type();
    switch (pick(9)) {
      case 0:
        return conjunction(some(TypeId::kBool, 2, depth));
      case 1:
        return disjunction(some(TypeId::kBool, 2, depth));
      case 2:
        return call("NOT", {any(TypeId::kBool, depth)});
      case 3:
        return call(pick(2) == 0 ? "IS NULL" : "IS NOT NULL", {any(type, depth)});
      case 4: {
        std::vector<ExprPtr> items;
        const bool literals = pick(2) == 0;
        for (uint32_t n = 1 + pick(12); n > 0; --n) {
          items.push_back(literals ? literal(pick(10) == 0 ? Value(type) : value(type, pick(30)))
                                   : leaf(type));
        }
        return in_list(any(type, depth), items);
      }
      case 5:
        return call("BETWEEN", {any(type, depth), leaf(type), leaf(type)});
      case 6:
        return disjunction(pattern_tests(depth));
      default: {
        constexpr std::string_view kNames[] = {
            "=", "<>", "<", ">", "<=", ">=", "IS DISTINCT FROM", "IS NOT DISTINCT FROM"};
        return call(kNames[pick(std::size(kNames))], {any(type, depth), any(type, depth)});
      }
    }
  }

  ExprPtr any(Type type, int depth) {
    if (depth == 0 || pick(5) == 0) return leaf(type);
    --depth;
    if (type.id == TypeId::kBool && pick(4) != 0) return condition(depth);
    switch (pick(5)) {
      case 0: {
        std::vector<ExprPtr> args;
        for (uint32_t n = 1 + pick(2); n > 0; --n) {
          args.push_back(any(TypeId::kBool, depth));
          args.push_back(any(type, depth));
        }
        if (pick(3) != 0) args.push_back(any(type, depth));
        return case_when(args);
      }
      case 1:
        return coalesce(some(type, 1, depth));
      case 2: {
        const Type from = any_type();
        if (!expr::can_cast(from, type)) return leaf(type);
        return cast(any(from, depth), type, pick(3) != 0);
      }
      default:
        if (type.is_integer() || type.is_float()) {
          constexpr std::string_view kNames[] = {"+", "-", "*", "//", "%"};
          return call(kNames[pick(std::size(kNames))], {any(type, depth), any(type, depth)});
        }
        return leaf(type);
    }
  }
};

}  // namespace lanewise::random
