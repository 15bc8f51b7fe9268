#pragma once

#include <random>
#include <vector>

#include "data/kernels/values-inl.h"
#include "expr/evaluation/evaluate.h"
#include "expr/testing/random_expressions.h"

/// Expressions emitted for devices, compiled for the host and compared with the reference evaluator.
namespace lanewise::expr::compiled {

inline constexpr uint32_t kRows = 60;

/// TestColumns in the form that the tests' sources read: plain values, strings as kernel::Text.
struct TestColumns {
  uint32_t rows = 0;
  std::vector<Type> types;
  std::vector<ColumnPtr> held;
  std::vector<std::vector<kernel::Text>> texts;
  std::vector<const void*> values;
  std::vector<const uint32_t*> validity;

  /// Random values: extreme ones, and some that occur together in valid calls.
  explicit TestColumns(const std::vector<Type>& wanted) {
    std::mt19937 random(7);
    for (const Type type : wanted) {
      std::vector<Value> made;
      for (uint32_t row = 0; row < kRows; ++row) {
        const auto number = static_cast<uint32_t>(random());
        if (row == 0 || number % 8 == 0) {  // at least one NULL, so that there is a bitmap
          made.emplace_back(type);
        } else if (row % 2 == 0) {
          made.push_back(random::value(type, number / 8 % 200));
        } else {
          made.push_back(random::Generator::value(type, number / 8 % 30));
        }
      }
      add(type, made);
    }
  }
  /// The given values and a NULL.
  TestColumns(Type type, std::vector<Value> given) {
    given.emplace_back(type);
    add(type, given);
  }
  TestColumns(const TestColumns&) = delete;
  TestColumns& operator=(const TestColumns&) = delete;

  void add(Type type, const std::vector<Value>& given) {
    rows = static_cast<uint32_t>(given.size());
    types.push_back(type);
    held.push_back(make_column(type, given));
    validity.push_back(held.back()->validity.as<uint32_t>());
    texts.emplace_back();
    for (int64_t row = 0; type.is_string() && row < rows; ++row) {
      const std::string_view text = held.back()->text(row);
      texts.back().push_back({reinterpret_cast<const uint8_t*>(text.data()), text.size()});
    }
    values.push_back(type.is_string() ? static_cast<const void*>(texts.back().data())
                                      : held.back()->values.data());
  }
  std::vector<Value> row(uint32_t row) const {
    std::vector<Value> values_of_row;
    for (const ColumnPtr& column : held) values_of_row.push_back(column->value(row));
    return values_of_row;
  }
};

/// Checks all expressions for all rows; returns how many of them devices support.
size_t check(const std::vector<ExprPtr>& exprs, const TestColumns& columns);

}  // namespace lanewise::expr::compiled
