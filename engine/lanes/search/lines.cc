#include "lanes/search/lines.h"

#include "lanes/search/find_targets.h"

namespace lanewise::lanes {

const Scans& scans_of(Target target) {
  switch (target) {
#if defined(__x86_64__)
    case Target::avx2:
      return kAvx2Scans;
    case Target::avx512:
      return kAvx512Scans;
#elif defined(__aarch64__)
    case Target::neon:
      return kNeonScans;
#endif
    case Target::emulated:
      return kEmulatedScans;
    default:
      return kScalarScans;
  }
}

u64 find_line_ends(Target target, const u8* text, u64 from, u64 to, u32* ends, u64 capacity) {
  return scans_of(target).line_ends(text, from, to, ends, capacity);
}

u64 count_lines(Target target, const u8* text, u64 size) { return scans_of(target).count_lines(text, size); }

}  // namespace lanewise::lanes
