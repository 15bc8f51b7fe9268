#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "base/error.h"
#include "base/memory.h"

namespace lanewise {

/// Distinct keys and their group numbers: an open-addressing table with linear probing.
///
/// A key is stored as a 32-bit tag (the high half of its hash) and a 64-bit word: the key itself, or its
/// position. The tag's highest bits are the home slot, so growing moves slots in order and needs no key. At
/// most 2^30 keys.
class HashTable {
 public:
  static constexpr uint32_t kNone = ~uint32_t{0};

  struct Key {
    uint64_t word;
    uint32_t group;
  };

  /// `what`, a string literal, names the operator in memory errors.
  HashTable(MemoryBudget* budget, std::string_view what) : budget_(budget), what_(what) {}

  /// groups[i] = the group of key i, for i in [0, count). `equal(i, key)` returns whether key i is this one;
  /// it is called only if the tags are equal. `add(i)` returns the Key of a new one. Slots are prefetched.
  /// With kFollow tags are compared first, so that `equal` may follow the word or the group; with kPrefetch
  /// the memory that words point to is prefetched.
  template <bool kFollow, bool kPrefetch = kFollow, class Equal, class Add>
  void find_or_add(const uint32_t* tags, size_t count, Equal equal, Add add, uint32_t* groups) {
    if (slots_ == nullptr) grow();
    // Slots of a short block are still in the first cache when new keys are added.
    constexpr size_t kBlock = kFollow && !kPrefetch ? 128 : 1024;
    uint32_t missed[kBlock];
    for (size_t first = 0; first < count; first += kBlock) {
      const size_t end = std::min(count, first + kBlock);
      size_t misses = 0;
      for (size_t i = first; i < end; ++i) {  // most keys are in their home slot: no branch depends on it
        if (i + kAhead < count) __builtin_prefetch(slots_ + home(tags[i + kAhead]), 1);
        if constexpr (kPrefetch) {
          if (i + kNear < count) {
            const Slot& soon = slots_[home(tags[i + kNear])];
            if (soon.tag == tags[i + kNear]) __builtin_prefetch(reinterpret_cast<const void*>(soon.word));
          }
        }
        const Slot& slot = slots_[home(tags[i])];
        groups[i] = slot.group;
        missed[misses] = static_cast<uint32_t>(i - first);
        misses += !is<kFollow>(slot, tags[i], [&](const Key& key) { return equal(i, key); });
      }
      for (size_t m = 0; m < misses; ++m) {
        const size_t i = first + missed[m];
        const auto equal_i = [&](const Key& key) { return equal(i, key); };
        groups[i] = probe<kFollow>(tags[i], equal_i, [&] { return add(i); });
      }
    }
  }

  /// Removes all keys; the memory is kept, unless it is in a temporary file.
  void clear() {
    if (buffer_.spilled()) {
      buffer_ = {};
      slots_ = nullptr;
      shift_ = 32;
    }
    if (slots_ != nullptr) std::memset(slots_, 0xff, (mask_ + 1) * sizeof(Slot));
    size_ = 0;
  }
  /// Makes room for `keys` keys in total, so that they are added without growing.
  void reserve(size_t keys) {
    int bits = slots_ == nullptr ? kFirstBits : 32 - shift_;
    while (bits < 31 && limit_of(size_t{1} << bits) < keys) ++bits;
    if (slots_ == nullptr || bits > 32 - shift_) grow(bits);
  }

 private:
  static constexpr size_t kAhead = 24;  // rows to prefetch ahead, for about the latency of memory
  static constexpr size_t kNear = 8;
  static constexpr int kFirstBits = 8;
  static constexpr size_t kSparseSlots = size_t{1} << 14;  // within a core's cache, empty slots cost nothing

  struct Slot {
    uint64_t word;
    uint32_t tag;
    uint32_t group;
  };

  size_t home(uint32_t tag) const { return tag >> shift_; }

  template <bool kFollow, class Equal>
  static bool is(const Slot& slot, uint32_t tag, Equal equal) {
    if constexpr (kFollow) return slot.tag == tag && slot.group != kNone && equal(Key{slot.word, slot.group});
    return static_cast<bool>((slot.group != kNone) & equal(Key{slot.word, slot.group}));
  }

  template <bool kFollow, class Equal, class Add>
  uint32_t probe(uint32_t tag, Equal equal, Add add) {
    for (size_t at = home(tag);; at = (at + 1) & mask_) {
      Slot& slot = slots_[at];
      if (is<kFollow>(slot, tag, equal)) return slot.group;
      if (slot.group != kNone) continue;
      const Key key = add();
      slot = {key.word, tag, key.group};
      if (++size_ > limit_) grow();
      return key.group;
    }
  }

  static size_t limit_of(size_t slots) { return slots <= kSparseSlots ? slots / 8 : slots / 8 * 5; }

  void grow() { grow(slots_ == nullptr ? kFirstBits : 32 - shift_ + 1); }
  void grow(int bits) {
    const size_t old_slots = slots_ == nullptr ? 0 : mask_ + 1;
    if (bits > 31) throw MemoryError(std::string(what_) + " has more than 2^30 groups");
    const size_t slots = size_t{1} << bits;
    const Buffer old = buffer_;
    buffer_ = Buffer::allocate(slots * sizeof(Slot), budget_, what_, Access::kRandom);
    slots_ = buffer_.mutable_as<Slot>();
    std::memset(slots_, 0xff, slots * sizeof(Slot));
    mask_ = slots - 1;
    shift_ = 32 - bits;
    limit_ = static_cast<uint32_t>(limit_of(slots));
    for (size_t i = 0; i < old_slots; ++i) {
      const Slot slot = old.as<Slot>()[i];
      if (slot.group == kNone) continue;
      size_t at = home(slot.tag);
      while (slots_[at].group != kNone) at = (at + 1) & mask_;
      slots_[at] = slot;
    }
  }

  MemoryBudget* budget_;
  std::string_view what_;
  Buffer buffer_;
  Slot* slots_ = nullptr;
  size_t mask_ = 0;
  int shift_ = 32;
  uint32_t size_ = 0;
  uint32_t limit_ = 0;
};

}  // namespace lanewise
