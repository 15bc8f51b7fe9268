#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "base/bits.h"
#include "index/index.h"

namespace lanewise::gpu {
class Device;
class Stream;
}  // namespace lanewise::gpu

namespace lanewise::index {
class Runner;
}

namespace lanewise {

/// An index in GPU memory, byte for byte as on the host: batches of searches and of changes
/// run there. refresh() copies the host's changes to it, write_back() copies its changes to the host. Between
/// two of these calls only one side may change, and a commit() is a change. Results are those of IndexReader,
/// in the same order and with the same errors.
///
/// Thread-safe; calls are serialised, so that none sees an intermediate state. Throws DeviceError, and
/// MemoryError if GPU memory does not suffice; a failed change has no effect.
class DeviceIndex {
 public:
  /// Copies the index, after checking all checksums and references. The index may be destroyed before
  /// this object.
  DeviceIndex(const Index& index, gpu::Device& device);
  /// The same, but `runner` runs the kernels: for tests.
  DeviceIndex(const Index& index, gpu::Device& device, std::unique_ptr<index::Runner> runner);
  DeviceIndex(DeviceIndex&&) noexcept;
  ~DeviceIndex();

  /// Copies the index's changes since the last time, page by page. Returns the number of bytes.
  /// Call it only between two calls of the index's writer. Throws UserError if both sides have changed.
  uint64_t refresh();
  /// Copies the changes made here to the index on the host, group by group; its commit() makes them durable.
  /// Returns the number of bytes. Call it only between two calls of the index's writer. Throws UserError if
  /// both sides have changed, if the index was opened for reading, and if there are snapshots.
  uint64_t write_back();
  uint64_t size() const;  ///< entries
  /// Selects the strategy of later searches by name (search_kernels.h); throws UserError for unknown ones.
  void use_strategy(std::string_view name);

  /// Batches in host memory.
  size_t find(const Keys& keys, void* values, uint64_t* found) const;
  template <class V>
  size_t find(const Keys& keys, std::vector<V>& values, std::vector<uint64_t>& found) const {
    check_value(sizeof(V));
    values.resize(keys.size());
    found.assign(bits::words(keys.size()), 0);
    return find(keys, values.data(), found.data());
  }
  bool contains(const Keys& key) const { return find(key, nullptr, nullptr) == key.size(); }
  std::vector<uint64_t> lower_bound(const Keys& keys) const;
  std::vector<uint64_t> upper_bound(const Keys& keys) const;
  std::vector<uint64_t> count(const Keys& keys) const;
  std::vector<uint64_t> count(const Keys& lows, const Keys& highs) const;
  IndexRanges range(const Keys& lows, const Keys& highs, uint64_t limit = UINT64_MAX) const;
  IndexRanges equal(const Keys& keys, uint64_t limit = UINT64_MAX) const;
  /// The entry at each position; none for a position after the last entry. lower_bound() is a key's rank.
  IndexRanges at(std::span<const uint64_t> positions) const;
  /// The first entry above each key, or the last one below it, if any.
  IndexRanges successor(const Keys& keys) const;
  IndexRanges predecessor(const Keys& keys) const;
  IndexRanges first() const { return at(std::vector<uint64_t>{0}); }
  IndexRanges last() const { return at(std::vector<uint64_t>{size() - 1}); }

  /// Changes like those of Index: with the effect of one key after the other. Fewer than 2^32 keys; twice
  /// their memory is needed on the device as well. Work is proportional to the batch and to the leaves that
  /// it touches. Return how many entries were added, or for erase() removed.
  size_t insert(const Keys& keys, const void* values);
  size_t upsert(const Keys& keys, const void* values);
  size_t erase(const Keys& keys);
  /// For each pair, erases the first entry with this key and value. The entries of one key are searched one
  /// by one.
  size_t erase(const Keys& keys, const void* values);
  /// Mixed changes; returns by how many entries the index has grown. Changes of the same key are
  /// applied one by one, slowly.
  int64_t apply(std::span<const Index::Change> changes, const Keys& keys, const void* values);
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

  /// An address in the device's memory.
  using Address = uint64_t;
  /// Operates on device memory, in the order of stream(): the key's only field is a
  /// number of 32 or 64 bits, unconverted; anything else is a UserError. Addresses are aligned like
  /// they hold.
  ///
  /// find: `found` bits in whole u64 words, and value_bytes for each key found; either may be
  /// 0.
  void find(Address keys, uint64_t count, Address values, Address found) const;
  /// The same for keys that are strings and not NULL: their concatenated `bytes`, and u64
  /// `begins`: the start of each and the end of the last one. Bytes may be read up to the next multiple of 4.
  struct Texts {
    Address bytes, begins;
  };
  void find(Texts keys, uint64_t count, Address values, Address found) const;
  /// Positions (u64) of the first entry that is not below each key.
  void lower_bound(Address keys, uint64_t count, Address positions) const;
  /// The key and the value of the entry at each position, and a bit of `found` if there is one; any may be
  /// 0.
  void at(Address positions, uint64_t count, Address keys, Address values, Address found) const;
  /// Up to `limit` entries of each [low, high): those of query q start at q * limit, and their number is
  /// counts[q] (u32). A bit of `cut` for each query that has more. Without `highs`, ranges extend to the
  /// index's end; each of `keys`, `values` and `cut` may be 0.
  void range(Address lows, Address highs, uint64_t count, uint64_t limit, Address keys, Address values,
             Address counts, Address cut) const;
  /// Changes, as described above. Values are value_bytes each.
  size_t insert(Address keys, uint64_t count, Address values);
  size_t upsert(Address keys, uint64_t count, Address values);
  size_t erase(Address keys, uint64_t count);
  size_t erase(Address keys, uint64_t count, Address values);
  size_t insert(Texts keys, uint64_t count, Address values);
  size_t upsert(Texts keys, uint64_t count, Address values);
  size_t erase(Texts keys, uint64_t count);
  gpu::Stream& stream() const;

 private:
  struct Impl;
  void check_value(size_t bytes) const;
  template <class V>
  const void* checked(const Keys& keys, const std::vector<V>& values) const {
    check_value(sizeof(V));
    if (values.size() != keys.size()) throw UserError("an index needs as many values as keys");
    return values.data();
  }

  std::unique_ptr<Impl> impl_;
};

}  // namespace lanewise
