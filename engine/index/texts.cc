#include "index/texts.h"

#include <algorithm>
#include <cstring>
#include <vector>

#include "base/error.h"

namespace lanewise::index {

namespace {
constexpr u32 kLargest = kSlotClasses - 1;
constexpr u32 kHead = sizeof(u32), kLinkedHead = sizeof(u32) + sizeof(u64);

u32 class_for(size_t bytes) {
  u32 slot_class = kTexts;
  while (text_slot_bytes(slot_class) < bytes + kHead) ++slot_class;
  return slot_class;
}
}  // namespace

Texts::Piece Texts::piece(u64 at) const {
  u32 bytes;
  const u8* slot = pool_.text(at, &bytes);
  u32 head;
  std::memcpy(&head, slot, sizeof head);
  u64 next = 0;
  if (head % 2 != 0) std::memcpy(&next, slot + kHead, sizeof next);
  const u32 begin = head % 2 != 0 ? kLinkedHead : kHead;
  if (head / 2 > bytes - begin) throw UserError(pool_.name() + ": a text is larger than its slot");
  return {{reinterpret_cast<const char*>(slot + begin), head / 2}, next};
}

int Texts::compare(u64 at, std::string_view text) const {
  for (;;) {
    const Piece here = piece(at);
    if (here.next == 0) return here.text.compare(text);
    const int order = here.text.compare(text.substr(0, here.text.size()));
    if (order != 0) return order;
    if (here.text.empty()) throw UserError(pool_.name() + ": an empty piece of a text");
    text.remove_prefix(here.text.size());
    at = here.next;
  }
}

std::string_view Texts::read(u64 at, std::string& scratch) const {
  Piece here = piece(at);
  if (here.next == 0) return here.text;
  const u64 most = pool_.groups() * pool_.geometry().group_bytes;
  for (scratch = here.text; here.next != 0; scratch += here.text) {
    here = piece(here.next);
    if (here.text.empty() || scratch.size() > most) throw UserError(pool_.name() + ": a text has no end");
  }
  return scratch;
}

u64 Texts::write(std::string_view text) {
  constexpr size_t kPiece = text_slot_bytes(kLargest) - kLinkedHead;
  std::vector<u64> slots;
  size_t left = text.size();
  try {
    for (; left + kHead > text_slot_bytes(kLargest); left -= kPiece)
      slots.push_back(pool_.allocate(kLargest));
    slots.push_back(pool_.allocate(class_for(left)));
  } catch (const MemoryError&) {
    for (const u64 slot : slots) pool_.release(slot, kLargest, 0);
    throw;
  }
  for (size_t i = 0; i + 1 < slots.size(); ++i, text.remove_prefix(kPiece)) {
    u8* slot = pool_.data() + slots[i];
    const u32 head = 2 * kPiece + 1;
    std::memcpy(slot, &head, sizeof head);
    std::memcpy(slot + kHead, &slots[i + 1], sizeof(u64));
    std::memcpy(slot + kLinkedHead, text.data(), kPiece);
  }
  u8* slot = pool_.data() + slots.back();
  const u32 head = static_cast<u32>(2 * left);
  std::memcpy(slot, &head, sizeof head);
  std::memcpy(slot + kHead, text.data(), left);
  return slots[0];
}

void Texts::release(u64 at) {
  for_each_piece(at, [&](u64 slot) {
    pool_.release(slot, pool_.trailer(slot / pool_.geometry().group_bytes).slot_class, 0);
  });
}

}  // namespace lanewise::index
