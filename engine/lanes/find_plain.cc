#include "lanes/find-inl.h"
#include "lanes/register_emulated-inl.h"

namespace lanewise::lanes {
namespace {

bool scan_bytes(const u8* at, u64 blocks, const BytePair& pair, u64* masks) {
  bool any = false;
  for (u64 i = 0; i < blocks; i++) {
    u64 mask = 0;
    for (u64 k = 0; k < 64; k++) {
      const u8* start = at + 64 * i + k;
      mask |= u64((start[pair.first_at] == pair.first) & (start[pair.second_at] == pair.second)) << k;
    }
    masks[i] = mask;
    any |= mask != 0;
  }
  return any;
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

const Scans kScalarScans = {Target::scalar, scan_bytes, line_ends_by_byte, lines_by_byte};
const Scans kEmulatedScans = {Target::emulated, scan_pair<emulated::Register>,
                              scan_line_ends<emulated::Register>, scan_lines<emulated::Register>};

}  // namespace lanewise::lanes
