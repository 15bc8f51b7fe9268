#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "active/active_set.h"
#include "data/column.h"
#include "data/value.h"
#include "data/vector.h"
#include "ops/join/lookup_choice.h"

namespace lanewise::ops {

inline constexpr std::string_view kJoin = "Join";  // name in memory errors

/// For each row of a chunk, its matches in the order of a Lookup: `count` of them, starting at `first`, which
/// is unspecified where there are none.
struct Runs {
  uint32_t* first;
  uint32_t* count;
};

/// The least and the greatest key of one column of integers, dates, decimals, ...
struct KeyRange {
  Value least, greatest;
};

/// Finds the rows of a join's build side by their keys. Rows with equal keys are contiguous in its order.
/// Immutable, shared by threads.
class Lookup {
 public:
  virtual ~Lookup() = default;
  /// Finds the runs of the active rows. Keys are not NULL, unless NULLs are equal.
  virtual void find(std::span<const Vector> keys, const ActiveSet& rows, Runs runs) const = 0;
  /// Of a lookup that is unique(): matches[row] = the row that each active row finds, its value if the
  /// lookup holds values, or kNoRow.
  virtual void find_rows(std::span<const Vector> keys, const ActiveSet& rows, uint32_t* matches) const;
  /// Puts the values of a column of the build side where its rows were, if that makes probes faster: each
  /// then reads one place less. The column is of numbers of at most 32 bits, and has no NULL.
  virtual void hold(const Column& /*values*/) {}
  bool holds_values() const { return holds_values_; }
  /// "array by 599 numbers".
  virtual std::string name() const = 0;
  /// Memory in which keys are searched.
  virtual size_t bytes() const = 0;
  /// Whether a key is an index: the fastest method.
  virtual bool is_array() const { return false; }

  /// Whether a key finds one row at most: all keys are distinct, or only one row of each is kept. Then the
  /// order is that of the rows.
  bool unique() const { return !order_; }
  /// The row at `place` in the order.
  uint32_t row(uint32_t place) const { return order_ ? order_.as<uint32_t>()[place] : place; }
  /// The rows by place; empty where places are row numbers.
  const Buffer& order() const { return order_; }
  const std::optional<KeyRange>& range() const { return range_; }
  const LookupChoice& choice() const { return choice_; }
  /// "array by 599 numbers, 2.3 KiB: their range is narrow".
  std::string describe() const;

 protected:
  explicit Lookup(const LookupChoice& choice) : choice_(choice) {}

  const LookupChoice choice_;
  bool holds_values_ = false;
  Buffer order_;  ///< uint32_t row numbers
  std::optional<KeyRange> range_;
};

/// A lookup of `rows` rows, fewer than 2^32 - 1, by key columns. A row with a NULL is found only by keys
/// that treat NULLs as equal. With `existence`, which row a key finds is never looked at. `forced` is
/// the form, if the keys allow it.
std::unique_ptr<Lookup> make_lookup(std::vector<ColumnPtr> keys, const std::vector<bool>& finds_nulls,
                                    size_t rows, bool existence, LookupForm forced, MemoryBudget* budget);

}  // namespace lanewise::ops
