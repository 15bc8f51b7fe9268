#include "index/tree/texts.h"

#include <algorithm>
#include <cstring>
#include <utility>
#include <vector>

#include "base/error.h"

namespace lanewise::index {

namespace {
constexpr u32 kHead = sizeof(u32), kLinkedHead = sizeof(u32) + sizeof(u64);
}  // namespace

Texts::Piece Texts::piece(u64 at) const {
  u32 bytes;
  const u8* slot = pool_.text(at, &bytes);
  u32 head;
  std::memcpy(&head, slot, sizeof head);
  u64 next = 0;
  if (head % 2 != 0) std::memcpy(&next, slot + kHead, sizeof next);
  const u32 begin = head % 2 != 0 ? kLinkedHead : kHead;
  if (head / 2 > bytes - begin) throw UserError(pool_.name() + ": a string is larger than its slot");
  return {{reinterpret_cast<const char*>(slot + begin), head / 2}, next};
}

int Texts::compare(u64 at, std::string_view text) const {
  for (;;) {
    const Piece here = piece(at);
    if (here.next == 0) return here.text.compare(text);
    const int order = here.text.compare(text.substr(0, here.text.size()));
    if (order != 0) return order;
    if (here.text.empty()) throw UserError(pool_.name() + ": an empty piece of a string");
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
    if (here.text.empty() || scratch.size() > most) throw UserError(pool_.name() + ": a string has no end");
  }
  return scratch;
}

u64 Texts::write(std::string_view text) {
  std::vector<std::pair<u64, u32>> slots;  // and their classes
  try {
    for_each_piece_of(text.size(), [&](u32 slot_class, u64) {
      slots.emplace_back(pool_.allocate(slot_class), slot_class);
    });
  } catch (const MemoryError&) {
    for (const auto& [at, slot_class] : slots) pool_.release(at, slot_class, 0);
    throw;
  }
  size_t piece = 0;
  for_each_piece_of(text.size(), [&](u32, u64 bytes) {
    u8* slot = pool_.data() + slots[piece].first;
    const bool linked = ++piece < slots.size();
    const u32 head = static_cast<u32>(2 * bytes) + (linked ? 1 : 0);
    std::memcpy(slot, &head, sizeof head);
    if (linked) std::memcpy(slot + kHead, &slots[piece].first, sizeof(u64));
    std::memcpy(slot + (linked ? kLinkedHead : kHead), text.data(), bytes);
    text.remove_prefix(bytes);
  });
  return slots[0].first;
}

void Texts::release(u64 at) {
  for_each_piece(at, [&](u64 slot) {
    pool_.release(slot, pool_.trailer(slot / pool_.geometry().group_bytes).slot_class, 0);
  });
}

}  // namespace lanewise::index
