#include "lanes/search/find_targets.h"

#if defined(__x86_64__)

#include <immintrin.h>

// Everything below may use these instructions; nothing of the standard library may be included below.
#pragma GCC diagnostic ignored "-Wunknown-pragmas"  // clang takes the target from its options
#pragma GCC target("avx2,bmi,bmi2,lzcnt,popcnt")

#include "lanes/registers/register_avx2-inl.h"
#include "lanes/search/find-inl.h"

namespace lanewise::lanes {

const Scans kAvx2Scans = {Target::avx2,
                          scan_pair<avx2::Register>,
                          scan_fingerprint<avx2::Register, avx2::Kinds>,
                          scan_members<avx2::Register, avx2::Kinds>,
                          scan_line_ends<avx2::Register>,
                          scan_lines<avx2::Register>};

}  // namespace lanewise::lanes

#endif
