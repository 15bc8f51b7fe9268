#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <string_view>
#include <utility>

#include "data/packed.h"
#include "expr/strings/texts.h"
#include "expr/vectors/elements.h"
#include "primitives/groups/hash.h"

/// Elements as the bytes in which lists hold them, a mark and a value.
namespace lanewise::expr {

/// Reads the slots of a list, array or map one after another.
class Slots {
 public:
  /// `keys`: the normalized list, whose slots lie at the same places.
  Slots(Type element, size_t width, std::string_view list, std::string_view keys)
      : element_(element), width_(width), rest_(list), keys_(keys) {}
  /// Goes to the first or next slot; false: there is none.
  bool next() {
    rest_.remove_prefix(size_);
    keys_.remove_prefix(size_);
    size_ = 0;
    if (rest_.empty() || mark() == packed::Mark::kEnd) return false;
    size_ = width_ != 0 ? width_ : 1 + (is_null() ? 0 : payload_size());
    return true;
  }
  bool is_null() const { return mark() == packed::Mark::kNull; }
  std::string_view slot() const { return rest_.substr(0, size_); }
  /// Elements are equal, and ordered, as their keys are.
  std::string_view key() const { return keys_.substr(0, size_); }

 private:
  packed::Mark mark() const { return static_cast<packed::Mark>(rest_[0]); }
  size_t payload_size() const { return packed::Reader(rest_.substr(1)).payload(element_).size(); }

  Type element_;
  size_t width_;
  std::string_view rest_, keys_;  // from the slot on
  size_t size_ = 0;               // of the slot
};

/// The lists of a vector as slots, by row.
class SlotLists {
 public:
  SlotLists(const Vector& lists, const ActiveSet& rows)
      : lists_(lists, rows),
        keys_(normalized(lists, rows), rows),
        element_(lists.type.element()),
        width_(packed::slot_width(element_)) {}
  Slots operator[](uint32_t row) const { return {element_, width_, lists_[row], keys_[row]}; }
  std::string_view text(uint32_t row) const { return lists_[row]; }
  /// The number of elements, which are counted.
  size_t size(uint32_t row) const {
    size_t size = 0;
    for (Slots slots = (*this)[row]; slots.next();) ++size;
    return size;
  }

 private:
  Texts lists_, keys_;
  Type element_;
  size_t width_;
};

/// A set of keys that is used for one list after another, each with the slot that came last.
class SlotSet {
 public:
  explicit SlotSet(Arena& arena) : arena_(arena), table_(new_table(kSmallest)) {}
  void clear() {
    ++list_;
    count_ = 0;
  }
  /// False: it is there already.
  bool insert(std::string_view key, std::string_view slot = {}) {
    if (Entry& entry = find(key); entry.list == list_) {
      entry.slot = slot;
      return false;
    }
    if (2 * ++count_ > table_.size()) grow();
    find(key) = {key, list_, slot};
    return true;
  }
  /// Of a key that is there.
  std::string_view slot(std::string_view key) { return find(key).slot; }
  bool contains(std::string_view key) { return find(key).list == list_; }

 private:
  static constexpr size_t kSmallest = 32;
  struct Entry {
    std::string_view key;
    uint64_t list;  ///< free unless this is the current list
    std::string_view slot;
  };

  std::span<Entry> new_table(size_t size) {
    auto* const entries = arena_.allocate<Entry>(size);
    std::fill_n(entries, size, Entry{});
    return {entries, size};
  }
  Entry& find(std::string_view key) {
    const size_t mask = table_.size() - 1;
    size_t place = hash::of_bytes(reinterpret_cast<const uint8_t*>(key.data()), key.size()) & mask;
    while (table_[place].list == list_ && table_[place].key != key) place = (place + 1) & mask;
    return table_[place];
  }
  void grow() {
    const std::span<Entry> before = std::exchange(table_, new_table(2 * table_.size()));
    for (const Entry& entry : before)
      if (entry.list == list_) find(entry.key) = entry;
  }

  Arena& arena_;
  std::span<Entry> table_;  // a power of two, at least half of them free
  uint64_t list_ = 1;
  size_t count_ = 0;
};

}  // namespace lanewise::expr
