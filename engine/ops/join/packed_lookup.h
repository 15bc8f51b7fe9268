#pragma once

#include <optional>

#include "ops/join/lookup.h"
#include "primitives/groups/key_words.h"

namespace lanewise::ops {

/// Keys as differences from their least values, which take 64 bits together. NULL, where it is a key, comes
/// before the least value.
class KeyPacking {
 public:
  struct Key {
    uint64_t least, span;  ///< the greatest is least + span
    bool has_null;
    int shift = 0;
  };

  /// Nothing: they take more bits.
  static std::optional<KeyPacking> of(std::vector<Key> keys);

  /// to[row] = the word of each active row. Returns the rows whose keys are all within their bounds.
  ActiveSet pack(std::span<const KeyWords> keys, const ActiveSet& rows, uint64_t* to) const;

 private:
  explicit KeyPacking(std::vector<Key> keys) : keys_(std::move(keys)) {}

  std::vector<Key> keys_;
};

/// The keys of all rows of a build side, packed.
struct PackedColumn {
  KeyPacking packing;
  ColumnPtr words;
};

/// `findable` are the rows that can be found, see make_lookup(); empty: all. Nothing: the keys do not fit.
std::optional<PackedColumn> pack_keys(const std::vector<ColumnPtr>& keys,
                                      const std::vector<bool>& finds_nulls, size_t rows,
                                      const Buffer& findable, MemoryBudget* budget);

std::unique_ptr<Lookup> lookup_of_packed(PackedColumn packed, size_t rows, bool existence, LookupForm forced,
                                         MemoryBudget* budget);

}  // namespace lanewise::ops
