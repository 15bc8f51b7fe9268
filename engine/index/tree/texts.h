#pragma once

#include <string>
#include <string_view>

#include "index/image/pool.h"

namespace lanewise::index {

/// Calls f(slot class, bytes) for each piece of a string with this number of bytes, in order.
template <class F>
void for_each_piece_of(u64 bytes, F f) {
  constexpr u32 kLargest = kSlotClasses - 1;
  constexpr u64 kHead = sizeof(u32), kPiece = text_slot_bytes(kLargest) - kHead - sizeof(u64);
  for (; bytes + kHead > text_slot_bytes(kLargest); bytes -= kPiece) f(kLargest, kPiece);
  u32 slot_class = kTexts;
  while (text_slot_bytes(slot_class) < bytes + kHead) ++slot_class;
  f(slot_class, bytes);
}

/// Strings of any length in slots of a pool. A string is in one slot, or in a chain of the largest slots. A
/// slot begins with a u32: twice the number of bytes in it, plus one if another slot follows. The position of
/// that slot is then the next u64.
class Texts {
 public:
  explicit Texts(Pool& pool) : pool_(pool) {}

  /// Negative, 0 or positive if the string at `at` is below, equal to or above `text`, byte by byte.
  int compare(u64 at, std::string_view text) const;
  /// The string; it is copied to `scratch` if it is in several slots.
  std::string_view read(u64 at, std::string& scratch) const;
  /// Stores a string and returns its position. Throws MemoryError without any change.
  u64 write(std::string_view text);
  void release(u64 at);
  /// Calls f(at) for each slot of the string.
  template <class F>
  void for_each_piece(u64 at, F f) const {
    for (u64 next; at != 0; at = next) {
      next = piece(at).next;
      f(at);
    }
  }

 private:
  struct Piece {
    std::string_view text;
    u64 next;  ///< 0: last slot
  };
  Piece piece(u64 at) const;

  Pool& pool_;
};

}  // namespace lanewise::index
