#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "active/active_set.h"
#include "base/memory.h"
#include "data/column.h"
#include "data/vector.h"
#include "primitives/byte_store.h"
#include "primitives/direct_groups.h"
#include "primitives/hash_table.h"
#include "primitives/key_rows.h"
#include "primitives/key_words.h"

namespace lanewise {

/// Numbers the distinct rows of some key columns from 0 on: what GROUP BY, DISTINCT and distinct aggregates
/// share. NULLs are one key, as are 0.0 and -0.0, all NaNs, and intervals of one normal form. A key keeps the
/// value it came with first. One thread at a time.
class Grouping {
 public:
  /// `what`, a string literal, names the operator in memory errors.
  Grouping(std::vector<Type> types, MemoryBudget* budget, std::string_view what);

  /// groups[row] = the number of the key of `row`, for the active rows. `keys` are in the order of the types.
  void find_or_add(std::span<const Vector> keys, const ActiveSet& rows, uint32_t* groups);
  /// to[i] = our number of the key that is number from[i] in `other`, which has the same types and outlives
  /// this one.
  void absorb(const Grouping& other, std::span<const uint32_t> from, uint32_t* to);

  uint32_t size() const { return static_cast<uint32_t>(tags_.size()); }
  /// High halves of the keys' hashes: the same key has the same tag in every Grouping.
  std::span<const uint32_t> tags() const { return {tags_.data(), tags_.size()}; }
  /// The values of key column `key` of the given groups.
  ColumnPtr column(size_t key, std::span<const uint32_t> groups) const;

 private:
  /// How a key becomes one word of the table.
  enum class Form : uint8_t {
    kWord,  ///< one column of one word: the word
    kText,  ///< one column of strings: where the string is kept
    kRow,   ///< anything else: where the row, encoded by layout_, is kept
  };

  void find_words(const KeyWords& key, std::span<const Vector> keys, const uint32_t* rows, size_t count,
                  Arena& arena, uint32_t* groups);
  void find_bytes(std::span<const KeyWords> words, std::span<const Vector> keys, const uint32_t* rows,
                  size_t count, Arena& arena, uint32_t* groups);
  /// Moves the rows whose only key is NULL out of rows[0..count), gives them their group and returns how many
  /// are left.
  size_t take_nulls(const KeyWords& key, std::span<const Vector> keys, uint32_t* rows, size_t count,
                    uint32_t* groups);
  HashTable::Key append(uint32_t tag, uint64_t word, std::span<const Vector> keys, uint32_t row);
  uint64_t keep(const uint8_t* bytes, size_t size);
  std::shared_ptr<Column> number_column(size_t key, std::span<const uint32_t> groups) const;
  std::shared_ptr<Column> text_column(size_t key, std::span<const uint32_t> groups) const;
  bool is_null(size_t key, uint32_t group) const;

  std::vector<Type> types_;
  MemoryBudget* budget_;
  std::string_view what_;
  Form form_;
  KeyRows layout_;
  HashTable table_;
  DirectGroups direct_;
  ByteStore kept_;                                    // bytes of kText and kRow, each after its size
  BufferBuilder<uint64_t> words_;                     // by group
  BufferBuilder<uint32_t> tags_;                      // by group
  std::vector<BufferBuilder<uint8_t>> first_values_;  // of lossy columns, by group
  uint32_t null_group_ = HashTable::kNone;            // kWord, kText
};

/// Sorts group numbers by the lowest `bits` bits of their tags, not by the highest, which choose the slots of
/// tables: partition p is groups[starts[p] .. starts[p + 1]).
struct Partitions {
  std::vector<uint32_t> groups;
  std::vector<uint32_t> starts;
};
Partitions partition(std::span<const uint32_t> tags, int bits);

}  // namespace lanewise
