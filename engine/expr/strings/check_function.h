#pragma once

#include <gtest/gtest.h>

#include <optional>
#include <random>
#include <string>
#include <vector>

#include "expr/evaluation/evaluate.h"
#include "expr/function.h"

/// For tests: a function's evaluator against its reference, over every form that its arguments can have.
namespace lanewise::expr::testing {

/// How the rows of one argument lie in memory.
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

/// Rows of which some are active, by share.
ActiveSet random_rows(uint32_t rows, double share, std::mt19937& random, Arena& arena);

/// Evaluates `expr` for the active rows, as values and (if boolean) as a predicate, and compares each with
/// the reference. Where the reference raises for an active row, so must the evaluator: then false.
bool check(const Expr& expr, Chunk& chunk, const ActiveSet& rows, lanes::Target target);

/// name(args...) for columns, and literals where the layout says so, over random layouts, sets of rows and
/// sizes. `value(argument, random)` makes a value. At least half of the chunks must not raise.
using MakeValue = Value (*)(size_t argument, std::mt19937& random);
void check_function(std::string_view name, std::vector<Type> types, MakeValue value,
                    std::vector<size_t> literal_args = {});

/// Well-formed text of all kinds: ASCII, marks that combine, NUL bytes, empty; now and then 100 kB.
std::string random_text(std::mt19937& random, size_t longest = 24);

}  // namespace lanewise::expr::testing
