#include "lanes/automata/rows_targets.h"

#if defined(__x86_64__)

#include <immintrin.h>

// Everything below may use these instructions; nothing of the standard library may be included below.
#pragma GCC diagnostic ignored \
    "-Wmaybe-uninitialized"  // gcc 12 sees the undefined operands inside its own intrinsics
#pragma GCC diagnostic ignored "-Wuninitialized"
#pragma GCC diagnostic ignored "-Wunknown-pragmas"  // clang takes the target from its options
#pragma GCC target("avx512f,avx512bw,avx512vl,avx512dq,avx512vbmi,avx512vbmi2,bmi,bmi2,lzcnt,popcnt")

#include "lanes/automata/packed_run-inl.h"
#include "lanes/registers/register_avx512-inl.h"

namespace lanewise::lanes {

Target match_avx512(const PackedTable& table, const RowJob& job) {
  table.high_is_uniform ? run_by_entries<avx512::Register, avx512::LowClasses, avx512::Next>(table, job)
                        : run_by_entries<avx512::Register, avx512::Classes, avx512::Next>(table, job);
  return Target::avx512;
}

}  // namespace lanewise::lanes

#endif
