#pragma once

#include <array>
#include <vector>

#include "index/gpu/update/update_job-inl.h"
#include "index/image/pool.h"

namespace lanewise::index {

/// The string slots in a device's copy of an image, as tracked by the host: those known to
/// be free and not allocated since. Erased strings are found at the next collect().
class TextSlots {
 public:
  /// A number for each class of slots.
  using Numbers = std::array<u64, kSlotClasses>;

  explicit TextSlots(const Geometry& geometry) : geometry_(geometry) {}
  /// Reads where the host's image has strings; no slot is known to be free.
  void begin(const Pool& host);

  /// The slots needed for strings of these lengths.
  static Numbers wanted(const std::vector<u64>& lengths);
  bool suffice(const Numbers& wanted) const;
  /// Groups that are lacking, and some in advance.
  Numbers lacking_groups(const Numbers& wanted) const;
  /// New groups, all of whose slots are free.
  void add_groups(u32 slot_class, u64 first, u64 count);
  /// Finds the free slots again: `used` has a mark for each 16 bytes of the image.
  void collect(const std::vector<u8>& used);

  /// Takes slots for a string whose bytes are at `from`; `name` is the address of the word that receives its
  /// position.
  void take(u64 from, u64 bytes, u64 name, std::vector<NewPiece>& pieces);
  const std::vector<u64>& free(u32 slot_class) const { return free_[slot_class]; }

 private:
  void free_group(u32 slot_class, u64 number, const std::vector<u8>* used);

  const Geometry& geometry_;
  std::array<std::vector<u64>, kSlotClasses> groups_;  // groups of each class
  std::array<std::vector<u64>, kSlotClasses> free_;    // positions in bytes; the last one is taken first
};

}  // namespace lanewise::index
