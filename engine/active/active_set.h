#pragma once

#include <cstdint>
#include <span>

#include "base/arena.h"
#include "base/bits.h"

namespace lanewise {

/// The active rows of a chunk: the one concept that filters, matchers, branches of CASE and aggregates
/// share.
///
/// Three forms: all rows, a bitmap (one bit per row), a list (ascending row numbers). The set starts as all
/// rows, is narrowed by predicates, and becomes a list when few rows are left: at low density,
/// walking a list is cheaper than testing bits. Its memory belongs to the chunk's arena.
class ActiveSet {
 public:
  enum class Form : uint8_t { kAll, kBitmap, kList };

  /// All of `rows` rows.
  ActiveSet(uint32_t rows, Arena& arena) : rows_(rows), count_(rows), arena_(&arena) {}

  uint32_t rows() const { return rows_; }    ///< rows of the chunk
  uint32_t count() const { return count_; }  ///< active ones
  bool all() const { return count_ == rows_; }
  bool none() const { return count_ == 0; }
  double density() const { return rows_ == 0 ? 0 : static_cast<double>(count_) / rows_; }

  /// The set as a bitmap; built on first use.
  const uint64_t* bitmap() const;
  /// The set as ascending row numbers; built on first use (compact).
  std::span<const uint32_t> list() const;
  /// The form that for_each walks: all rows, the bitmap if dense, the list if sparse.
  Form form() const;

  /// Keeps the rows that are also in `bitmap`.
  void narrow(const uint64_t* keep);
  /// Keeps the rows that are not in `bitmap`.
  void remove(const uint64_t* drop);
  /// A new set with the rows of this one that are also in `keep`.
  ActiveSet narrowed(const uint64_t* keep) const;
  /// Keeps the first `count` active rows.
  void truncate(uint32_t count);

  /// Calls f(row) for each active row in ascending order.
  template <class F>
  void for_each(F f) const {
    if (all()) {
      for (uint32_t row = 0; row < rows_; ++row) f(row);
    } else if (form() == Form::kList) {
      for (uint32_t row : list()) f(row);
    } else {
      bits::for_each(bitmap(), rows_, [&](size_t row) { f(static_cast<uint32_t>(row)); });
    }
  }

  Arena& arena() const { return *arena_; }

 private:
  uint32_t rows_;
  uint32_t count_;
  Arena* arena_;
  mutable const uint64_t* bitmap_ = nullptr;
  mutable const uint32_t* list_ = nullptr;
};

}  // namespace lanewise
