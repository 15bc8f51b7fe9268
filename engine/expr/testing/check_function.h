#pragma once

#include <gtest/gtest.h>

#include <optional>
#include <random>
#include <string>
#include <vector>

#include "expr/evaluation/evaluate.h"
#include "expr/function.h"

/// For tests: compares a function's evaluator with its reference, for every form of its arguments.
namespace lanewise::expr::testing {

/// The layout of one argument's rows in memory.
enum class Layout { kText, kWideText, kViews, kDictionary, kConstant, kLiteral };
inline constexpr Layout kLayouts[] = {Layout::kText,       Layout::kWideText, Layout::kViews,
                                      Layout::kDictionary, Layout::kConstant, Layout::kLiteral};

/// Columns of a chunk, with the memory that holds them.
class Chunk {
 public:
  /// Adds a column of `values`; text starts at an offset that is not 0. A constant has the first value in all
  /// rows.
  void add(Type type, std::vector<Value> values, Layout layout);
  const std::vector<Vector>& columns() const { return columns_; }
  /// The values of a row, as the reference reads them.
  std::vector<Value> row(uint32_t i) const;
  Arena& arena() { return arena_; }

 private:
  Vector views(const ColumnPtr& column, uint32_t rows);

  Arena arena_;
  std::vector<ColumnPtr> held_;
  std::vector<Vector> columns_;
  std::vector<std::vector<Value>> values_;
};

/// Rows of which about the fraction `share` are active.
ActiveSet random_rows(uint32_t rows, double share, std::mt19937& random, Arena& arena);

/// Evaluates `expr` for the active rows, as values and (if boolean) as a predicate, and compares each with
/// the reference. If the reference raises for an active row, the evaluator must raise too; returns false
/// then.
bool check(const Expr& expr, Chunk& chunk, const ActiveSet& rows, lanes::Target target);

/// Calls name(args...) on columns (or literals, by layout), over random layouts, sets of rows and
/// sizes. `value(argument, random)` makes a value. At least half of the chunks must not raise.
using MakeValue = Value (*)(size_t argument, std::mt19937& random);
void check_function(std::string_view name, std::vector<Type> types, MakeValue value,
                    std::vector<size_t> literal_args = {});

/// Well-formed text of all kinds: ASCII, combining marks, NUL bytes, empty; sometimes 100 kB.
std::string random_text(std::mt19937& random, size_t longest = 24);

}  // namespace lanewise::expr::testing
