#include "lanes/registers/register_emulated-inl.h"
#include "lanes/search/find-inl.h"

namespace lanewise::lanes {
namespace {

/// Fills masks[i] from `asked(at)`, of each start position.
template <class Asked>
u64 scan_by_byte(const u8* at, u64 blocks, u64* masks, Asked&& asked) {
  u64 found = 0;
  for (u64 i = 0; i < blocks; i++) {
    u64 mask = 0;
    for (u64 k = 0; k < 64; k++) mask |= u64(asked(at + 64 * i + k)) << k;
    masks[i] = mask;
    found |= u64(mask != 0) << i;
  }
  return found;
}

u64 pair_by_byte(const u8* at, u64 blocks, const BytePair& pair, u64* masks) {
  return scan_by_byte(at, blocks, masks, [&](const u8* start) {
    return (start[pair.first_at] == pair.first) & (start[pair.second_at] == pair.second);
  });
}

u64 kinds_by_byte(const u8* at, u64 blocks, const Fingerprint& fingerprint, u64* masks) {
  return scan_by_byte(at + fingerprint.first_at, blocks, masks, [&](const u8* start) {
    u8 shared = 0xff;
    for (u32 place = 0; place < fingerprint.size; place++)
      shared &= fingerprint.kinds[place].of_byte[start[place]];
    return shared != 0;
  });
}

u64 members_by_byte(const u8* at, u64 blocks, const KindTable& set, u64* masks) {
  return scan_by_byte(at, blocks, masks, [&](const u8* start) { return set.of_byte[*start] != 0; });
}

u64 line_ends_by_byte(const u8* text, u64 from, u64 to, u32* ends, u64 capacity) {
  u32* out = ends;
  for (u64 at = from; at < to && out < ends + capacity; at++) {
    *out = u32(at) + 1;
    out += text[at] == '\n';
  }
  return u64(out - ends);
}

u64 lines_by_byte(const u8* text, u64 size) {
  u64 lines = 0;
  for (u64 at = 0; at < size; at++) lines += text[at] == '\n';
  return lines;
}

}  // namespace

const Scans kScalarScans = {Target::scalar,  pair_by_byte,      kinds_by_byte,
                            members_by_byte, line_ends_by_byte, lines_by_byte};
const Scans kEmulatedScans = {Target::emulated,
                              scan_pair<emulated::Register>,
                              scan_fingerprint<emulated::Register, emulated::Kinds>,
                              scan_members<emulated::Register, emulated::Kinds>,
                              scan_line_ends<emulated::Register>,
                              scan_lines<emulated::Register>};

}  // namespace lanewise::lanes
