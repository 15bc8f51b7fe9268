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
#include "index/key_layout.h"
#include "index/keys.h"

namespace lanewise {

struct IndexOptions {
  std::vector<KeyField> key;  ///< 1 to 4 fields, the first one most significant
  uint32_t value_bytes =
      8;                    ///< of each value; row numbers of 8 bytes unless it says otherwise; 0: keys alone
  bool unique = false;      ///< a key is there once at most
  uint32_t leaf_keys = 0;   ///< most keys of a leaf, 4 to 2,047; 0: what suits the key
  uint32_t inner_keys = 0;  ///< most keys of an inner node, 3 to 2,047; 0: what suits the key
  uint32_t fill_percent = 100;  ///< of nodes when entries are loaded, 50 to 100
};

/// Entries of an index, in its order.
struct IndexEntries {
  size_t count = 0;
  std::vector<ColumnPtr> key;  ///< a column for each field
  Buffer values;               ///< value_bytes each
};

/// The entries that several queries found, one query's behind the other's.
struct IndexRanges {
  std::vector<uint64_t> offsets;  ///< entries [offsets[q], offsets[q + 1]) are those of query q
  IndexEntries entries;
  std::vector<uint64_t> cut;  ///< a bit for each query: its limit left entries out
};

struct IndexStats {
  uint64_t entries = 0;
  uint32_t height = 0;  ///< levels above the leaves
  uint64_t leaves = 0, inner_nodes = 0, texts = 0;
  uint64_t used_bytes = 0;   ///< of nodes and texts in use
  uint64_t image_bytes = 0;  ///< of all, free slots included
  uint64_t commits = 0;
  uint32_t leaf_keys = 0, inner_keys = 0, value_bytes = 0;
  bool unique = false;
};

namespace index {
struct State;
struct Path;
struct Root;
}  // namespace index

/// Goes from entry to entry, both ways. Good until the index changes, one of a snapshot for as long as that.
class IndexCursor {
 public:
  bool valid() const;  ///< false behind the last entry and before the first
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
/// A position is the number of entries before it: the difference of two positions counts the entries
/// between them. n is the number of entries, m the number of keys in a batch. A key of another type than the
/// index's is a UserError, and so is a damaged part of a file when it is read.
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
  /// How many entries have each key; or lie in each [low, high). O(m log n), however many they are.
  std::vector<uint64_t> count(const Keys& keys) const;
  std::vector<uint64_t> count(const Keys& lows, const Keys& highs) const;
  /// The entries of each [low, high), up to `limit` of each; O(m log n + entries).
  IndexRanges range(const Keys& lows, const Keys& highs, uint64_t limit = UINT64_MAX) const;
  /// The entries that have each key.
  IndexRanges equal(const Keys& keys, uint64_t limit = UINT64_MAX) const;
  /// The entries at positions [first, first + count), cut at the end. O(log n + count).
  IndexEntries at(uint64_t first, uint64_t count = 1) const;

  /// At the first entry not below the one key; above it; at the first; at the last one. O(log n).
  IndexCursor seek(const Keys& key) const { return cursor(key, false); }
  IndexCursor successor(const Keys& key) const { return cursor(key, true); }
  IndexCursor predecessor(const Keys& key) const;  ///< at the last entry below it
  IndexCursor first() const;
  IndexCursor last() const;

  /// Checks all of the image: checksums, order, counts, fill, free slots. Throws UserError. O(n).
  void verify() const;
  IndexStats stats() const;  ///< O(n)

  /// Searches batches by the strategy of that name from now on (strategy.h); throws UserError for others and
  /// for what this machine has not. The default is the fastest one.
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

/// The state of an index at one moment, whatever its writer does meanwhile. Any thread may use it; it may
/// outlive the index. While it is there, the writer copies the nodes that it changes.
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
/// One thread at a time writes, and reads through the index itself; any number of others read snapshots,
/// which they take between two calls of the writer (taking one waits for the call under way). A batch is
/// carried out as if its keys came one after the other. Growth asks the budget; on a MemoryError the keys up
/// to some key in ascending order have been taken, and the index is as good as before.
class Index : public IndexReader {
 public:
  enum class Mode { kRead, kWrite };

  /// A new, empty index in memory. Throws UserError: options out of range.
  explicit Index(const IndexOptions& options, MemoryBudget* budget = nullptr);
  /// Opens a file as of its last commit, without reading more than it needs: groups of 64 KiB and more are
  /// checked when they are first looked at. One process writes, or several read: waits up to `wait` seconds
  /// for others, then throws UserError.
  static Index open(const std::string& path, Mode mode = Mode::kRead, MemoryBudget* budget = nullptr,
                    double wait = 0);

  /// Whether a file holds an index, whole or not.
  static bool is_in(const std::string& path);

  Index(Index&&) noexcept = default;
  Index& operator=(Index&&) noexcept = default;
  ~Index() override;

  /// Fills an empty index, in any order of keys: O(m) where they ascend, else O(m log m). `values` has
  /// value_bytes for each key. Throws UserError for a key that comes twice in an index of unique ones.
  void load(const Keys& keys, const void* values);
  /// Adds an entry for each key, or for each one that is not there in an index of unique ones. Returns how
  /// many it added. O(m log n); batches are sorted first.
  size_t insert(const Keys& keys, const void* values);
  /// Sets the value of each key's first entry, or adds an entry. Returns the number of added entries.
  size_t upsert(const Keys& keys, const void* values);
  /// Removes all entries that have one of the keys. Returns how many. Their memory is used again.
  size_t erase(const Keys& keys);
  /// Removes, for each pair, the first entry with this key and value; O(log n + entries of the key) each.
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
  /// Mixed changes, as if one after the other; values of kErase are not looked at. Returns how many entries
  /// were added and removed.
  size_t apply(std::span<const Change> changes, const Keys& keys, const void* values);

  IndexSnapshot snapshot() const;

  /// Writes the index to a new file, in place of what has this name, and keeps it there from now on.
  void save(const std::string& path);
  /// Makes all changes since the last commit safe in the file. After a crash, of the process or the machine,
  /// the file opens as of this commit, or, before it returned, as of the one before. Throws UserError.
  void commit();

 private:
  explicit Index(const std::shared_ptr<index::State>& state);
  template <class V>
  const void* checked(const Keys& keys, const std::vector<V>& values) const {
    check_value(sizeof(V));
    if (values.size() != keys.size()) throw UserError("an index wants as many values as keys");
    return values.data();
  }
};

}  // namespace lanewise
