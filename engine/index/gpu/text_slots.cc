#include "index/gpu/text_slots.h"

#include "index/tree/texts.h"

namespace lanewise::index {

void TextSlots::begin(const Pool& host) {
  for (u32 c = kTexts; c < kSlotClasses; ++c) {
    groups_[c].clear();
    free_[c].clear();
  }
  for (u64 number = 1; number < host.groups(); ++number) {
    const u32 slot_class = host.trailer(number).slot_class;
    if (slot_class >= kTexts) groups_[slot_class].push_back(number);
  }
}

TextSlots::Numbers TextSlots::wanted(const std::vector<u64>& lengths) {
  Numbers wanted{};
  for (const u64 bytes : lengths) {
    for_each_piece_of(bytes, [&](u32 slot_class, u64) { ++wanted[slot_class]; });
  }
  return wanted;
}

bool TextSlots::suffice(const Numbers& wanted) const {
  for (u32 c = kTexts; c < kSlotClasses; ++c) {
    if (free_[c].size() < wanted[c]) return false;
  }
  return true;
}

TextSlots::Numbers TextSlots::lacking_groups(const Numbers& wanted) const {
  Numbers groups{};
  for (u32 c = kTexts; c < kSlotClasses; ++c) {
    if (free_[c].size() >= wanted[c]) continue;
    const u64 slots = wanted[c] - free_[c].size(), per_group = geometry_.slots_of(c);
    groups[c] = (slots + per_group - 1) / per_group + groups_[c].size() / 8;
  }
  return groups;
}

void TextSlots::free_group(u32 slot_class, u64 number, const std::vector<u8>* used) {
  const u64 bytes = geometry_.slot_bytes[slot_class];
  for (u64 slot = geometry_.slots_of(slot_class); slot-- > 0;) {
    const u64 at = number * geometry_.group_bytes + slot * bytes;
    if (used == nullptr || (*used)[at / 16] == 0) free_[slot_class].push_back(at);
  }
}

void TextSlots::add_groups(u32 slot_class, u64 first, u64 count) {
  for (u64 number = first; number < first + count; ++number) {
    groups_[slot_class].push_back(number);
    free_group(slot_class, number, nullptr);
  }
}

void TextSlots::collect(const std::vector<u8>& used) {
  for (u32 c = kTexts; c < kSlotClasses; ++c) {
    free_[c].clear();
    for (size_t i = groups_[c].size(); i-- > 0;) free_group(c, groups_[c][i], &used);
  }
}

void TextSlots::take(u64 from, u64 bytes, u64 name, std::vector<NewPiece>& pieces) {
  const size_t first = pieces.size();
  for_each_piece_of(bytes, [&](u32 slot_class, u64 some) {
    const u64 at = free_[slot_class].back();
    free_[slot_class].pop_back();
    if (pieces.size() != first) pieces.back().next = at;
    pieces.push_back({at, 0, from, pieces.size() == first ? name : 0, static_cast<u32>(some), 1});
    from += some;
  });
}

}  // namespace lanewise::index
