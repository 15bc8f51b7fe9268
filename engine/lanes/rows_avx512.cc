#include "lanes/rows_targets.h"

#if defined(__x86_64__)

#include <immintrin.h>

// Everything below may use these instructions; nothing of the standard library may be included below.
#pragma GCC diagnostic ignored \
    "-Wmaybe-uninitialized"  // gcc 12 sees the undefined operands inside its own intrinsics
#pragma GCC diagnostic ignored "-Wuninitialized"
#pragma GCC diagnostic ignored "-Wunknown-pragmas"  // clang takes the target from its options
#pragma GCC target("avx512f,avx512bw,avx512vl,avx512dq,avx512vbmi,avx512vbmi2,bmi,bmi2,lzcnt,popcnt")

#include "lanes/packed_run-inl.h"
#include "lanes/register_avx512-inl.h"

namespace lanewise::lanes {

template <class Classes>
static void run(const PackedTable& table, const RowJob& job) {
  using avx512::Next;
  using avx512::Register;
  if (table.has_halves) {
    run_packed<PackedGroup<Register, Classes, Next<512>>>(table, job);
  } else if (table.entries <= 64) {
    run_packed<PackedGroup<Register, Classes, Next<64>>>(table, job);
  } else if (table.entries <= 128) {
    run_packed<PackedGroup<Register, Classes, Next<128>>>(table, job);
  } else {
    run_packed<PackedGroup<Register, Classes, Next<256>>>(table, job);
  }
}

Target match_avx512(const PackedTable& table, const RowJob& job) {
  table.high_is_uniform ? run<avx512::LowClasses>(table, job) : run<avx512::Classes>(table, job);
  return Target::avx512;
}

}  // namespace lanewise::lanes

#endif
