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

}  // namespace

const PairScan kScalarScan = {Target::scalar, scan_bytes};
const PairScan kEmulatedScan = {Target::emulated, scan_pair<emulated::Register>};

}  // namespace lanewise::lanes
