#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "active/active_set.h"
#include "base/memory.h"
#include "data/column.h"
#include "data/vector.h"
#include "primitives/groups/byte_store.h"
#include "primitives/groups/direct_groups.h"
#include "primitives/groups/hash_table.h"
#include "primitives/groups/key_rows.h"
#include "primitives/groups/key_words.h"
#include "primitives/groups/packed_keys.h"

namespace lanewise {

/// Group numbers partitioned by the lowest `bits` bits of their tags, as the highest ones choose the slots of
/// tables: partition p is groups[starts[p] .. starts[p + 1]).
struct Partitions {
  std::vector<uint32_t> groups;
  std::vector<uint32_t> starts;
  bool in_order = false;  ///< groups are 0, 1, 2 ...

  std::span<const uint32_t> part(size_t first, size_t last) const {
    return std::span(groups).subspan(starts[first], starts[last] - starts[first]);
  }
};
Partitions partition(std::span<const uint32_t> tags, int bits);

/// Numbers the distinct rows of some key columns from 0 on, for GROUP BY, DISTINCT and distinct
/// aggregates. NULLs are one key, as are 0.0 and -0.0, all NaNs, intervals of one normal form, and
/// nested values of these. A key keeps its first value. One thread at a time.
class Grouping {
 public:
  /// `what`, a string literal, names the operator in memory errors.
  Grouping(std::vector<Type> types, MemoryBudget* budget, std::string_view what)
      : Grouping(types, form_of(types), budget, what) {}

  /// groups[row] = the number of the key of `row`, for the active rows. `keys` are in the order of the types.
  void find_or_add(std::span<const Vector> keys, const ActiveSet& rows, uint32_t* groups);
  /// Like find_or_add(), but adds a key for each row without searching the table: for keys that take() passes
  /// on, to be deduplicated by absorb().
  void append_rows(std::span<const Vector> keys, const ActiveSet& rows, uint32_t* groups);
  /// A subset of a Grouping's keys, by their numbers.
  struct Part {
    const Grouping* keys;
    std::span<const uint32_t> groups;
    bool in_order = false;  ///< the numbers are consecutive
  };
  /// to[i] = our number of key i of the parts, one after the other. Their Groupings have the same types and
  /// outlive this one.
  void absorb(std::span<const Part> parts, uint32_t* to);
  /// Makes room for `keys` keys in total, so that they are added without growing.
  void reserve(size_t keys);
  /// Returns the keys and starts again with the memory of their table. The returned keys cannot be searched,
  /// but they can be absorbed.
  std::unique_ptr<Grouping> take();
  /// Removes all keys; most of the memory is kept.
  void clear();
  /// The keys' partitions. Renumbers keys returned by take(), so that each partition is contiguous, with
  /// its bytes: key i was number (*from)[i]. If that is impossible, `from` stays empty.
  Partitions arrange(int bits, std::vector<uint32_t>* from);

  uint32_t size() const { return static_cast<uint32_t>(tags_.size()); }
  /// High halves of the keys' hashes: the same key has the same tag in every Grouping.
  std::span<const uint32_t> tags() const { return {tags_.data(), tags_.size()}; }
  /// The values of key column `key` of the given groups.
  ColumnPtr column(size_t key, std::span<const uint32_t> groups) const;

 private:
  static constexpr uint32_t kNullTag = 0x5bd1e995;  // tag of the NULL key
  /// How a key is stored as one word of the table.
  enum class Form : uint8_t {
    kWord,  ///< one column of one word: the word
    kText,  ///< one column of strings: position of the string
    /// Several columns that fit into one word or two: the word, or the first of two, while the second ones
    /// are in `high_`. Rows with a NULL are in `nulls_`.
    kPacked,
    kRow,  ///< anything else: position of the row, encoded by layout_
  };
  /// A nested value; without data: the one that the table has.
  using FirstText = std::string_view;

  static Form form_of(std::span<const Type> types);
  /// The keys, of which equal nested values get equal bytes.
  std::vector<Vector> comparable(std::span<const Vector> keys, const ActiveSet& rows) const;
  Grouping(std::vector<Type> types, Form form, MemoryBudget* budget, std::string_view what);

  /// The rows' encoded bytes: the string, or all columns.
  KeyRows::Encoded encoded(std::span<const KeyWords> words, const uint32_t* rows, size_t count,
                           Arena& arena) const;
  void find_words(const uint64_t* all_words, const uint64_t* all_high, std::span<const Vector> keys,
                  const uint32_t* rows, size_t count, Arena& arena, uint32_t* groups);
  void find_bytes(std::span<const KeyWords> words, std::span<const Vector> keys, const uint32_t* rows,
                  size_t count, Arena& arena, uint32_t* groups);
  /// Sets the groups of the rows with a NULL and returns the others of rows[0..count), in ascending order.
  std::span<const uint32_t> take_null_rows(std::span<const KeyWords> words, std::span<const Vector> keys,
                                           const ActiveSet& rows, std::span<const uint32_t> list,
                                           uint32_t* groups);
  struct Gathered;
  /// Absorbs parts whose keys have no NULL.
  void absorb_complete(std::span<const Part> parts, Gathered& keys, uint32_t* to);
  void absorb_gathered(const Gathered& keys, uint32_t* to);
  void absorb_with_nulls(const Part& part, Gathered& keys, uint32_t* to);
  void copy_first_values(const Grouping& from, uint32_t group);
  /// Bytes of each first value of a lossy column.
  size_t first_size(size_t key) const {
    return types_[key].is_nested() ? sizeof(FirstText) : width(types_[key].physical());
  }
  /// Keeps the row's value of a nested key whose bytes in the table are those of `word`.
  void keep_first_text(size_t key, uint64_t word, const Vector& values, uint32_t row);
  /// Assigns our groups to the new groups of `nulls_` since the last call.
  void number_nulls();
  /// The group's number in `nulls_`, if it is one of them.
  std::optional<uint32_t> null_number(uint32_t group) const;
  /// Removes the rows whose only key is NULL from rows[0..count), assigns their group and returns how many
  /// are left.
  size_t take_nulls(const KeyWords& key, std::span<const Vector> keys, uint32_t* rows, size_t count,
                    uint32_t* groups);
  HashTable::Key append(uint32_t tag, uint64_t word, std::span<const Vector> keys, uint32_t row);
  uint64_t keep(const uint8_t* bytes, size_t size);
  /// Moves the kept bytes into the order of the keys, so that the readers of a partition follow memory.
  void arrange_kept();
  std::shared_ptr<Column> number_column(size_t key, std::span<const uint32_t> groups) const;
  std::shared_ptr<Column> text_column(size_t key, std::span<const uint32_t> groups) const;
  /// The bytes of a string in the table, of the key's or row's word.
  std::string_view kept_text(size_t key, uint64_t word) const;
  template <class T>
  void row_values(size_t key, std::span<const uint32_t> groups, T* values) const;  // kRow
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
  std::vector<BufferBuilder<uint8_t>> first_values_;  // of lossy columns, by group; nested ones: a FirstText
  ByteStore first_texts_;                             // nested first values
  uint32_t null_group_ = HashTable::kNone;            // kWord, kText
  std::optional<PackedKeys> packed_;                  // kPacked
  bool wide_ = false;                                 // two words
  BufferBuilder<uint64_t> high_;                      // by group, if wide_
  std::unique_ptr<Grouping> nulls_;                   // kPacked: rows with a NULL, encoded
  std::vector<uint32_t> null_groups_;                 // our group of each group of nulls_
};

}  // namespace lanewise
