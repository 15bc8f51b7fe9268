#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "active/active_set.h"
#include "data/vector.h"
#include "expr/context.h"
#include "expr/expr.h"

namespace lanewise {

namespace expr {
struct Truth;
}

/// Constants that a call on a device reads: an array in the kernel's source.
struct DeviceTable {
  std::string_view type;  ///< "u16"
  std::string values;     ///< "1, 2, 3"
};
/// Maximum number of entries of such a table.
inline constexpr size_t kMostTableCells = size_t{1} << 14;
template <class T>
DeviceTable device_table(std::string_view type, std::span<const T> values) {
  DeviceTable table{type, {}};
  for (const T value : values) table.values += (table.values.empty() ? "" : ", ") + std::to_string(value);
  return table;
}

/// A device function in the headers of expr/gpu/, by its name there.
struct DeviceFunction {
  std::string name;              ///< with its template arguments
  bool may_be_null = false;      ///< the result may be NULL even if no argument is
  std::string_view header = {};  ///< "math": it is in math-inl.h; empty: in the headers of all kernels
  bool makes_text = false;       ///< it makes new bytes, and takes the kernel's heap as its first argument
  std::vector<DeviceTable> tables = {};  ///< passed after the arguments
  std::string constants = {};            ///< passed after the tables: ", i128(100)"
  bool may_fail = false;                 ///< it may fail on a device although Function::raises is false
  size_t first = 0;        ///< arguments [first, last) are passed on: others are constants in the name or
  size_t last = SIZE_MAX;  ///< in `constants`
};

/// One scalar function: an entry of the table (functions/functions.h), from which SQL's names, the
/// documentation and the tests are made.
struct Function {
  enum class Nulls : uint8_t {
    kStrict,  ///< NULL if any argument is NULL; the evaluator sees only rows without NULLs
    kOwn,     ///< the evaluator decides
  };

  /// Functions that code outside the table treats apart.
  enum class Form : uint8_t {
    kCall,  ///< all others
    kEqual,
    kUnequal,
    kLess,
    kGreater,
    kAtMost,
    kAtLeast,
    kBetween,
    kIsDistinct,
    kIsNotDistinct,
    kIsNull,
    kIsNotNull,
    kNot,
    kGreatest,
    kLeast,
    kConcat,
    kConcatWs,
    kStruct,
    kError,
  };

  std::string_view name;
  Form form = Form::kCall;
  Nulls nulls = Nulls::kStrict;
  bool raises = false;  ///< may throw for some values; else it may also be run on inactive rows
  bool varies = false;  ///< gives other values for the same arguments, as random() does
  /// The result type for these argument types, or nothing if the function does not take them.
  std::optional<Type> (*resolve)(std::span<const Type> args) = nullptr;
  /// Optional: the result type where constant arguments decide it, as the digits of round(x, 2) do;
  /// `resolved` is the result of resolve().
  Type (*refine)(Type resolved, std::span<const ExprPtr> args) = nullptr;
  /// Optional: work done once for constant arguments (literal values; null if an argument is not a
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
  /// Optional, for boolean functions whose nulls are kOwn: the same as bitmaps, for conditions.
  expr::Truth (*truth)(const Expr& expr, std::span<const Vector> args, const ActiveSet& rows,
                       EvalContext& context) = nullptr;
  /// The same for one row, as plainly as possible: the oracle.
  Value (*reference)(const Expr& expr, std::span<const Value> args) = nullptr;
  /// Optional, for strict functions: the device function that computes the call, if devices support these
  /// types.
  std::optional<DeviceFunction> (*device)(const Expr& expr) = nullptr;
  std::string_view documentation;  ///< one line
  std::string_view example;        ///< an SQL expression, run by a test: "lower('ÄB')"
};

/// A string as a template argument.
template <size_t size>
struct FixedText {
  constexpr FixedText(const char (&from)[size]) {
    std::copy_n(from, size, text);
  }  // NOLINT: a literal is one
  char text[size];
};

/// Function::device for functions with one device name for all types.
template <FixedText name, FixedText header = "", bool may_be_null = false, bool makes_text = false>
std::optional<DeviceFunction> on_device(const Expr&) {
  return DeviceFunction{name.text, may_be_null, header.text, makes_text};
}

}  // namespace lanewise
