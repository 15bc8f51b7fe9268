#pragma once

#include <array>
#include <vector>

#include "index/gpu/update/update_job-inl.h"
#include "index/tree/pool.h"

namespace lanewise::index {

/// The slots of strings in a copy of an image on a device, as the host knows them: those that it has seen to
/// be free and not given away since. What is erased is found free at the next look.
class TextSlots {
 public:
  /// A number for each class of slots.
  using Numbers = std::array<u64, kSlotClasses>;

  explicit TextSlots(const Geometry& geometry) : geometry_(geometry) {}
  /// Learns where the host's image has strings; none is known to be free.
  void begin(const Pool& host);

  /// The slots that strings of these lengths need.
  static Numbers wanted(const std::vector<u64>& lengths);
  bool suffice(const Numbers& wanted) const;
  /// Groups that are lacking, and some for the next strings.
  Numbers lacking_groups(const Numbers& wanted) const;
  /// New groups, all of whose slots are free.
  void add_groups(u32 slot_class, u64 first, u64 count);
  /// Learns again which slots are free: a mark for each 16 bytes of the image.
  void collect(const std::vector<u8>& used);

  /// Takes slots for a text whose bytes are at `from`; `name` is the address of the word that gets its place.
  void take(u64 from, u64 bytes, u64 name, std::vector<NewPiece>& pieces);
  const std::vector<u64>& free(u32 slot_class) const { return free_[slot_class]; }

 private:
  void free_group(u32 slot_class, u64 number, const std::vector<u8>* used);

  const Geometry& geometry_;
  std::array<std::vector<u64>, kSlotClasses> groups_;  // of each class
  std::array<std::vector<u64>, kSlotClasses> free_;    // bytes of the image; the last one is taken first
};

}  // namespace lanewise::index
