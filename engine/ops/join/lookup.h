#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "active/active_set.h"
#include "data/column.h"
#include "data/vector.h"

namespace lanewise::ops {

inline constexpr std::string_view kJoin = "Join";  // in memory errors

/// For each row of a chunk, where its matches stand in the order of a Lookup: `count` of them from `first`
/// on.
struct Runs {
  uint32_t* first;
  uint32_t* count;
};

/// Finds the rows of a join's build side by their keys. Rows with one key stand side by side in its order.
/// Immutable, shared by threads.
class Lookup {
 public:
  virtual ~Lookup() = default;
  /// Sets the runs of the active rows, whose keys have no NULL but where NULLs are equal.
  virtual void find(std::span<const Vector> keys, const ActiveSet& rows, Runs runs) const = 0;
  /// "direct", "hash of words", "hash of bytes": how rows are found.
  virtual const char* name() const = 0;

  /// Whether no key has two rows. Then the order is the rows' own.
  bool unique() const { return !order_; }
  /// The row that is number `place` in the order.
  uint32_t row(uint32_t place) const { return order_ ? order_.as<uint32_t>()[place] : place; }

 protected:
  Buffer order_;  ///< uint32_t row numbers
};

/// A lookup of `rows` rows, fewer than 2^32 - 1, by key columns. A row with a NULL is found only by keys for
/// which NULLs are equal.
std::unique_ptr<Lookup> make_lookup(std::vector<ColumnPtr> keys, const std::vector<bool>& null_is_equal,
                                    size_t rows, MemoryBudget* budget);

}  // namespace lanewise::ops
