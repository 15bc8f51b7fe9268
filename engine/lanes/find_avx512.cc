#include "lanes/find_targets.h"

#if defined(__x86_64__)

#include <immintrin.h>

// Everything below may use these instructions; nothing of the standard library may be included below.
#pragma GCC diagnostic ignored \
    "-Wmaybe-uninitialized"  // gcc 12 sees the undefined operands of its own intrinsics
#pragma GCC diagnostic ignored "-Wuninitialized"
#pragma GCC diagnostic ignored "-Wunknown-pragmas"  // clang takes the target from its options
#pragma GCC target("avx512f,avx512bw,avx512vl,avx512dq,avx512vbmi,avx512vbmi2,bmi,bmi2,lzcnt,popcnt")

#include "lanes/find-inl.h"
#include "lanes/register_avx512-inl.h"

namespace lanewise::lanes {

const Scans kAvx512Scans = {Target::avx512, scan_pair<avx512::Register>, scan_line_ends<avx512::Register>,
                            scan_lines<avx512::Register>};

}  // namespace lanewise::lanes

#endif
