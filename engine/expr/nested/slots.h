#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string_view>
#include <utility>
#include <vector>

#include "data/packed.h"
#include "expr/nested/elements.h"
#include "expr/strings/texts.h"

/// Elements as the bytes in which lists hold them, a mark and a value.
namespace lanewise::expr {

/// Reads the slots of a list, array or map one after another.
class Slots {
 public:
  /// `keys`: the normalized list, whose slots lie at the same places.
  Slots(Type element, size_t width, std::string_view list, const char* keys)
      : element_(element), width_(width), at_(list.data()), end_(at_ + list.size()), to_key_(keys - at_) {}
  /// Goes to the first or next slot; false: there is none.
  bool next() {
    at_ += size_;
    size_ = 0;
    if (at_ == end_ || static_cast<packed::Mark>(*at_) == packed::Mark::kEnd) return false;
    size_ = width_ != 0 ? width_ : 1 + (is_null() ? 0 : payload_size());
    return true;
  }
  bool is_null() const { return static_cast<packed::Mark>(*at_) == packed::Mark::kNull; }
  std::string_view slot() const { return {at_, size_}; }
  /// Elements are equal, and ordered, as their keys are.
  std::string_view key() const { return {at_ + to_key_, size_}; }

 private:
  size_t payload_size() const {
    return packed::Reader({at_ + 1, static_cast<size_t>(end_ - at_) - 1}).payload(element_).size();
  }

  Type element_;
  size_t width_;
  const char* at_;
  const char* end_;
  std::ptrdiff_t to_key_;
  size_t size_ = 0;
};

/// The lists of a vector as slots, by row.
class SlotLists {
 public:
  SlotLists(const Vector& lists, const ActiveSet& rows)
      : lists_(lists, rows),
        keys_(normalized(lists, rows), rows),
        element_(lists.type.element()),
        width_(packed::slot_width(element_)) {}
  Slots operator[](uint32_t row) const { return {element_, width_, lists_[row], keys_[row].data()}; }
  std::string_view text(uint32_t row) const { return lists_[row]; }

 private:
  Texts lists_, keys_;
  Type element_;
  size_t width_;
};

/// A set of slots that is used for one list after another.
class SlotSet {
 public:
  void clear() {
    ++list_;
    count_ = 0;
  }
  /// False: it is there already.
  bool insert(std::string_view slot) {
    if (2 * ++count_ > table_.size()) grow();
    Entry& entry = find(slot);
    if (entry.list == list_) return false;
    entry = {slot, list_};
    return true;
  }
  bool contains(std::string_view slot) { return find(slot).list == list_; }

 private:
  struct Entry {
    std::string_view slot;
    uint64_t list = 0;  ///< free unless this is the current list
  };

  Entry& find(std::string_view slot) {
    const size_t mask = table_.size() - 1;
    size_t place = std::hash<std::string_view>()(slot) & mask;
    while (table_[place].list == list_ && table_[place].slot != slot) place = (place + 1) & mask;
    return table_[place];
  }
  void grow() {
    const std::vector<Entry> before = std::exchange(table_, std::vector<Entry>(2 * table_.size()));
    for (const Entry& entry : before)
      if (entry.list == list_) find(entry.slot) = entry;
  }

  std::vector<Entry> table_ = std::vector<Entry>(32);  // a power of two, at least half of them free
  uint64_t list_ = 1;
  size_t count_ = 0;
};

}  // namespace lanewise::expr
