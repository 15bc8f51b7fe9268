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

/// An index in the memory of a GPU, byte for byte as it is on the host: batches of searches and of changes
/// run there. refresh() brings over what the host has changed, write_back() what has changed here; between
/// two of them only one of both may change, and a commit() is a change. Answers are those of IndexReader, in
/// the same order and with the same errors.
///
/// Thread-safe; calls take turns, so that none sees a state between two. Throws DeviceError, and MemoryError
/// where the GPU's memory does not suffice; changes then have changed nothing.
class DeviceIndex {
 public:
  /// Copies the index, all of whose checksums and references are checked first. The index may end before this
  /// does.
  DeviceIndex(const Index& index, gpu::Device& device);
  /// The same, but kernels are run by `runner`: for tests.
  DeviceIndex(const Index& index, gpu::Device& device, std::unique_ptr<index::Runner> runner);
  DeviceIndex(DeviceIndex&&) noexcept;
  ~DeviceIndex();

  /// Brings over what the index has changed since the last time, page by page. Returns how many bytes that
  /// were. Only between two calls of the index's writer. Throws UserError where both have changed.
  uint64_t refresh();
  /// Brings what has changed here to the index on the host, group by group; its commit() makes it safe.
  /// Returns how many bytes that were. Only between two calls of the index's writer. Throws UserError where
  /// both have changed, for an index that was opened for reading, and where there are snapshots.
  uint64_t write_back();
  uint64_t size() const;  ///< entries
  /// Searches by the strategy of that name from now on (search_kernels.h); throws UserError for others.
  void use_strategy(std::string_view name);

  /// Batches of the host.
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
  /// The entry at each position, the k-th for k; none after the last one. lower_bound() is a key's rank.
  IndexRanges at(std::span<const uint64_t> positions) const;
  /// The first entry above each key, the last one below it, where there is one.
  IndexRanges successor(const Keys& keys) const;
  IndexRanges predecessor(const Keys& keys) const;
  IndexRanges first() const { return at(std::vector<uint64_t>{0}); }
  IndexRanges last() const { return at(std::vector<uint64_t>{size() - 1}); }

  /// Changes, as those of Index: as if one key came after the other. Any number of keys below 2^32; their
  /// memory, twice, is wanted on the device as well. Work is proportional to the batch and to the leaves that
  /// it touches. Return how many entries came to be, or for erase() went.
  size_t insert(const Keys& keys, const void* values);
  size_t upsert(const Keys& keys, const void* values);
  size_t erase(const Keys& keys);
  /// For each pair the first entry with this key and value. The entries of one key are looked at one by one.
  size_t erase(const Keys& keys, const void* values);
  /// Mixed changes; returns by how many entries the index has grown. Equal keys that come many times take
  /// their turns one by one, slowly.
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
  /// What is in the device's memory and goes on there, in the order of stream(): the key's one field is a
  /// number of 32 or 64 bits, given as it is; anything else is a UserError. Addresses are aligned as what
  /// they hold.
  ///
  /// find: u64 words of `found` bits, whole ones, and value_bytes for each key that is there; either may be
  /// 0.
  void find(Address keys, uint64_t count, Address values, Address found) const;
  /// The same for keys that are strings and not NULL: `bytes` of all, one text after the other, and u64
  /// `begins`, where each begins and the last one ends. Bytes may be read up to the next multiple of 4.
  struct Texts {
    Address bytes, begins;
  };
  void find(Texts keys, uint64_t count, Address values, Address found) const;
  /// Positions (u64) of the first entry not below each key.
  void lower_bound(Address keys, uint64_t count, Address positions) const;
  /// The key and the value of the entry at each position, and a bit of `found` where there is one; any may be
  /// 0.
  void at(Address positions, uint64_t count, Address keys, Address values, Address found) const;
  /// Up to `limit` entries of each [low, high): those of query q from place q * limit on, and how many in
  /// counts[q] (u32). A bit of `cut` for each query where there are more. Without `highs` ranges go on to the
  /// index's end; of `keys`, `values` and `cut` each may be 0.
  void range(Address lows, Address highs, uint64_t count, uint64_t limit, Address keys, Address values,
             Address counts, Address cut) const;
  /// Changes; those above say what they do. Values are value_bytes each.
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
