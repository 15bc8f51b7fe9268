#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "expr/evaluation/evaluate.h"
#include "expr/expr.h"

namespace lanewise {

/// Constants that a call on a device reads: an array of the source.
struct DeviceTable {
  std::string_view type;  ///< "u16"
  std::string values;     ///< "1, 2, 3"
};
/// Cells of a table that a source may hold.
inline constexpr size_t kMostTableCells = size_t{1} << 14;
template <class T>
DeviceTable device_table(std::string_view type, std::span<const T> values) {
  DeviceTable table{type, {}};
  for (const T value : values) table.values += (table.values.empty() ? "" : ", ") + std::to_string(value);
  return table;
}

/// A function of the headers in expr/gpu/, by its name there.
struct DeviceFunction {
  std::string name;              ///< with its template arguments
  bool may_be_null = false;      ///< also where no argument is
  std::string_view header = {};  ///< "math": it is in math-inl.h; empty: in those that all kernels have
  bool makes_text = false;       ///< new bytes: it takes the kernel's heap before its arguments
  std::vector<DeviceTable> tables = {};  ///< follow the arguments
  std::string constants = {};            ///< what follows them: ", i128(100)"
  bool may_fail = false;                 ///< though Function::raises says that it does not
  size_t first = 0;        ///< arguments [first, last) are passed on: others are constants in the name or
  size_t last = SIZE_MAX;  ///< in `constants`
};

/// One scalar function. The table of all of them feeds SQL's names, the documentation and the tests.
struct Function {
  enum class Nulls : uint8_t {
    kStrict,  ///< NULL if any argument is NULL; the evaluator sees only rows without NULLs
    kOwn,     ///< the evaluator decides
  };

  std::string_view name;
  Nulls nulls = Nulls::kStrict;
  bool raises = false;  ///< may throw for some values; else it may be run on inactive rows too
  bool varies = false;  ///< gives other values for the same arguments, as random() does
  /// The result type for these argument types, or nothing if the function does not take them.
  std::optional<Type> (*resolve)(std::span<const Type> args) = nullptr;
  /// Optional: the result type where constant arguments decide it, as the digits of round(x, 2) do;
  /// `resolved` is what resolve() says.
  Type (*refine)(Type resolved, std::span<const ExprPtr> args) = nullptr;
  /// Optional: work done once for constant arguments (literal values; null where an argument is not a
  /// literal).
  std::shared_ptr<const Prepared> (*prepare)(std::span<const ExprPtr> args) = nullptr;
  /// Writes the active rows of a result of type `expr.type`.
  Vector (*evaluate)(const Expr& expr, std::span<const Vector> args, const ActiveSet& rows,
                     EvalContext& context) = nullptr;
  /// Optional, for boolean functions whose nulls are kStrict: the active rows for which the function is true,
  /// as a bitmap of bits::words(rows.rows()) words in the arena whose other bits are 0. Faster than
  /// evaluate() for predicates.
  const uint64_t* (*select)(const Expr& expr, std::span<const Vector> args, const ActiveSet& rows,
                            EvalContext& context) = nullptr;
  /// The same for one row, as plainly as can be.
  Value (*reference)(const Expr& expr, std::span<const Value> args) = nullptr;
  /// Optional, for strict functions: what computes the call on a device, if devices have it for these types.
  std::optional<DeviceFunction> (*device)(const Expr& expr) = nullptr;
  std::string_view documentation;  ///< one line
  std::string_view example;        ///< an SQL expression, run by a test: "lower('ÄB')"
};

/// A text as a template argument.
template <size_t size>
struct FixedText {
  constexpr FixedText(const char (&from)[size]) {
    std::copy_n(from, size, text);
  }  // NOLINT: a literal is one
  char text[size];
};

/// Function::device where one name serves all types.
template <FixedText name, FixedText header = "", bool may_be_null = false, bool makes_text = false>
std::optional<DeviceFunction> on_device(const Expr&) {
  return DeviceFunction{name.text, may_be_null, header.text, makes_text};
}

/// All functions, in the order of their names.
std::span<const Function> functions();

/// The name in the table that another name of a function stands for: "pow" for "power"; else `name`.
std::string_view standard_name(std::string_view name);

/// The function of that name for these argument types, or null. Names are SQL's, operators included ("+",
/// "~~").
const Function* find_function(std::string_view name, std::span<const Type> args);

}  // namespace lanewise
