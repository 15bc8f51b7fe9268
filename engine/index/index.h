#pragma once

#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/bits.h"
#include "base/error.h"
#include "base/memory.h"
#include "data/column.h"
#include "index/image/key_layout.h"
#include "index/image/keys.h"

namespace lanewise {

struct IndexOptions {
  std::vector<KeyField> key;    ///< 1 to 4 fields, the first one most significant
  uint32_t value_bytes = 8;     ///< bytes of each value (8 for row numbers); 0: keys without values
  bool unique = false;          ///< reject duplicate keys
  uint32_t leaf_keys = 0;       ///< maximum keys of a leaf, 4 to 2,047; 0: chosen by the key
  uint32_t inner_keys = 0;      ///< maximum keys of an inner node, 3 to 2,047; 0: chosen by the key
  uint32_t fill_percent = 100;  ///< fill level of nodes after load(), 50 to 100
};

/// Entries of an index, in its order.
struct IndexEntries {
  size_t count = 0;
  std::vector<ColumnPtr> key;  ///< a column for each field
  Buffer values;               ///< value_bytes each
};

/// The entries found by several queries, in the order of the queries.
struct IndexRanges {
  std::vector<uint64_t> offsets;  ///< entries [offsets[q], offsets[q + 1]) are those of query q
  IndexEntries entries;
  std::vector<uint64_t> cut;  ///< a bit for each query: its limit left entries out
};

struct IndexStats {
  uint64_t entries = 0;
  uint32_t height = 0;  ///< levels above the leaves
  uint64_t leaves = 0, inner_nodes = 0, texts = 0;
  uint64_t used_bytes = 0;   ///< of nodes and strings in use
  uint64_t image_bytes = 0;  ///< of everything, including free slots
  uint64_t commits = 0;
  uint32_t leaf_keys = 0, inner_keys = 0, value_bytes = 0;
  bool unique = false;
};

namespace index {
struct State;
struct Path;
struct Root;
}  // namespace index

/// Moves from entry to entry, in both directions. Valid until the index changes; a cursor of a snapshot is
/// valid as long as the snapshot.
class IndexCursor {
 public:
  bool valid() const;  ///< false after the last entry and before the first
  void next();         ///< constant time on average
  void previous();
  std::vector<Value> key() const;
  const void* value() const;
  template <class V>
  V value_as() const {
    V value;
    std::memcpy(&value, this->value(), sizeof value);
    return value;
  }

  IndexCursor(std::shared_ptr<index::State> state, std::unique_ptr<index::Path> path);
  IndexCursor(IndexCursor&&) noexcept;
  ~IndexCursor();

 private:
  std::shared_ptr<index::State> state_;
  std::unique_ptr<index::Path> path_;
  bool before_first_ = false;
};

/// The operations of an ordered index. Entries are ordered by key; equal keys keep their order of insertion.
/// A position is the number of entries before it: the difference of two positions counts the entries between
/// them. n is the number of entries, m the number of keys in a batch. Keys of another type than the index's
/// throw UserError, and so does a damaged part of a file when it is read.
class IndexReader {
 public:
  virtual ~IndexReader();
  uint64_t size() const;
  const std::vector<KeyField>& key_fields() const;
  uint32_t value_bytes() const;

  /// The value of each key's first entry, and a bit for each key found; other values are left unchanged.
  /// Either pointer may be null. Returns the number of keys found. O(m log n).
  size_t find(const Keys& keys, void* values, uint64_t* found) const;
  template <class V>
  size_t find(const Keys& keys, std::vector<V>& values, std::vector<uint64_t>& found) const {
    check_value(sizeof(V));
    values.resize(keys.size());
    found.assign(bits::words(keys.size()), 0);
    return find(keys, values.data(), found.data());
  }
  bool contains(const Keys& key) const { return find(key, nullptr, nullptr) == key.size(); }

  /// The position of the first entry that is not below each key (the key's rank), or above it. O(m log n).
  std::vector<uint64_t> lower_bound(const Keys& keys) const { return positions(keys, false); }
  std::vector<uint64_t> upper_bound(const Keys& keys) const { return positions(keys, true); }
  /// The number of entries with each key, or in each [low, high). O(m log n), independent of that number.
  std::vector<uint64_t> count(const Keys& keys) const;
  std::vector<uint64_t> count(const Keys& lows, const Keys& highs) const;
  /// The entries of each [low, high), up to `limit` of each; O(m log n + entries).
  IndexRanges range(const Keys& lows, const Keys& highs, uint64_t limit = UINT64_MAX) const;
  /// The entries that have each key.
  IndexRanges equal(const Keys& keys, uint64_t limit = UINT64_MAX) const;
  /// The entries at positions [first, first + count), cut at the end. O(log n + count).
  IndexEntries at(uint64_t first, uint64_t count = 1) const;

  /// Cursors at the first entry that is not below the key; at the first entry above it; at the first entry;
  /// at the last entry. `key` is one key. O(log n).
  IndexCursor seek(const Keys& key) const { return cursor(key, false); }
  IndexCursor successor(const Keys& key) const { return cursor(key, true); }
  IndexCursor predecessor(const Keys& key) const;  ///< at the last entry below the key
  IndexCursor first() const;
  IndexCursor last() const;

  /// Checks the whole image: checksums, order, counts, fill, free slots. Throws UserError. O(n).
  void verify() const;
  IndexStats stats() const;  ///< O(n)

  /// Selects the strategy of later searches by its name (strategy.h). Throws UserError if it is unknown or
  /// this machine does not support it. The default is the fastest one.
  void use_strategy(std::string_view name);

 protected:
  friend class DeviceIndex;
  IndexReader(std::shared_ptr<index::State> state, const index::Root* root);
  IndexReader(IndexReader&&) noexcept;
  IndexReader& operator=(IndexReader&&) noexcept;
  void check_value(size_t bytes) const;

  std::shared_ptr<index::State> state_;
  const index::Root* root_;

 private:
  std::vector<uint64_t> positions(const Keys& keys, bool behind_equal) const;
  IndexCursor cursor(const Keys& key, bool behind_equal) const;
  IndexRanges ranges(const Keys& lows, const Keys& highs, bool behind_highs, uint64_t limit) const;
  IndexCursor at_position(uint64_t position) const;
};

/// The state of an index at one moment, unaffected by later changes. Any thread may use it, and it may
/// outlive the index. While it exists, the writer copies the nodes that it changes.
class IndexSnapshot : public IndexReader {
 public:
  IndexSnapshot(IndexSnapshot&&) noexcept;
  IndexSnapshot& operator=(IndexSnapshot&& other) noexcept;
  ~IndexSnapshot() override;

 private:
  friend class Index;
  IndexSnapshot(std::shared_ptr<index::State> state, std::unique_ptr<index::Root> root, uint64_t version);
  std::unique_ptr<index::Root> own_root_;
  uint64_t version_;
};

/// An ordered index: a B+-tree without pointers whose bytes are the same in memory and in its file.
///
/// One thread at a time writes, or reads through the index itself. Any number of other threads read
/// snapshots; taking one waits until the writer's current call ends. A batch has the same effect as its keys
/// one after the other. Memory is reserved in the budget. After a MemoryError, the keys up to some key in
/// ascending order have been added, and the index remains valid.
class Index : public IndexReader {
 public:
  enum class Mode { kRead, kWrite };

  /// A new, empty index in memory. Throws UserError if an option is out of range.
  explicit Index(const IndexOptions& options, MemoryBudget* budget = nullptr);
  /// Opens a file as of its last commit. Parts of 64 KiB or more are read and checked when they are first
  /// needed. Either one process writes, or several read: waits up to `wait` seconds for other processes, then
  /// throws UserError.
  static Index open(const std::string& path, Mode mode = Mode::kRead, MemoryBudget* budget = nullptr,
                    double wait = 0);

  /// Whether a file contains an index, even a damaged one.
  static bool is_in(const std::string& path);

  Index(Index&&) noexcept = default;
  Index& operator=(Index&&) noexcept = default;
  ~Index() override;

  /// Fills an empty index. Keys may be in any order: O(m) if they ascend, else O(m log m). `values` has
  /// value_bytes for each key. Throws UserError for a duplicate key if keys are unique.
  void load(const Keys& keys, const void* values);
  /// Adds an entry for each key; if keys are unique, only for new keys. Returns the number of added entries.
  /// O(m log n); batches are sorted first.
  size_t insert(const Keys& keys, const void* values);
  /// Sets the value of each key's first entry, or adds an entry. Returns the number of added entries.
  size_t upsert(const Keys& keys, const void* values);
  /// Removes all entries with one of the keys. Returns their number. Their memory is reused.
  size_t erase(const Keys& keys);
  /// Removes the first entry with each pair of key and value; O(log n + entries of the key) each.
  size_t erase(const Keys& keys, const void* values);

  template <class V>
  void load(const Keys& keys, const std::vector<V>& values) {
    load(keys, checked(keys, values));
  }
  template <class V>
  size_t insert(const Keys& keys, const std::vector<V>& values) {
    return insert(keys, checked(keys, values));
  }
  template <class V>
  size_t upsert(const Keys& keys, const std::vector<V>& values) {
    return upsert(keys, checked(keys, values));
  }
  template <class V>
  size_t erase(const Keys& keys, const std::vector<V>& values) {
    return erase(keys, checked(keys, values));
  }

  enum class Change : uint8_t { kInsert, kUpsert, kErase };
  /// Applies mixed changes, one after the other; values of kErase are ignored. Returns how many entries were
  /// added and removed.
  size_t apply(std::span<const Change> changes, const Keys& keys, const void* values);

  IndexSnapshot snapshot() const;

  /// Writes the index to a new file, which replaces a file of this name. Later commits go to this file.
  void save(const std::string& path);
  /// Makes all changes since the last commit durable. After a crash of the process or the machine, the file
  /// opens as of the last commit that returned, or as of the one that was running. Throws UserError.
  void commit();

 private:
  explicit Index(const std::shared_ptr<index::State>& state);
  template <class V>
  const void* checked(const Keys& keys, const std::vector<V>& values) const {
    check_value(sizeof(V));
    if (values.size() != keys.size()) throw UserError("an index needs as many values as keys");
    return values.data();
  }
};

}  // namespace lanewise
