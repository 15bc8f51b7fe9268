#include "lanes/search/find_targets.h"

#if defined(__x86_64__)

#include <immintrin.h>

// Everything below may use these instructions; nothing of the standard library may be included below.
#pragma GCC diagnostic ignored \
    "-Wmaybe-uninitialized"  // gcc 12 sees the undefined operands of its own intrinsics
#pragma GCC diagnostic ignored "-Wuninitialized"
#pragma GCC diagnostic ignored "-Wunknown-pragmas"  // clang takes the target from its options
#pragma GCC target("avx512f,avx512bw,avx512vl,avx512dq,avx512vbmi,avx512vbmi2,bmi,bmi2,lzcnt,popcnt")

#include "lanes/registers/register_avx512-inl.h"
#include "lanes/search/find-inl.h"

namespace lanewise::lanes {

static u64 scan_members_avx512(const u8* at, u64 blocks, const KindTable& set, u64* masks) {
  return set.high_is_uniform ? scan_members<avx512::Register, avx512::LowKinds>(at, blocks, set, masks)
                             : scan_members<avx512::Register, avx512::AllKinds>(at, blocks, set, masks);
}

/// Six bits distinguish bytes below 0x80 well enough; above, bytes of multi-byte characters would be confused
/// with others.
static u64 scan_fingerprint_avx512(const u8* at, u64 blocks, const Fingerprint& fingerprint, u64* masks) {
  bool low = true;
  for (u32 i = 0; i < fingerprint.size; i++) {
    low &= fingerprint.kinds[i].high_is_uniform && fingerprint.kinds[i].of_byte[128] == 0;
  }
  return low ? scan_fingerprint<avx512::Register, avx512::Kinds>(at, blocks, fingerprint, masks)
             : scan_fingerprint<avx512::Register, avx512::AllKinds>(at, blocks, fingerprint, masks);
}

const Scans kAvx512Scans = {
    Target::avx512,      scan_pair<avx512::Register>,      scan_fingerprint_avx512,
    scan_members_avx512, scan_line_ends<avx512::Register>, scan_lines<avx512::Register>};

}  // namespace lanewise::lanes

#endif
