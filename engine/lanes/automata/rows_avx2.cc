#include "lanes/automata/rows_targets.h"

#if defined(__x86_64__)

#include <immintrin.h>

// Everything below may use these instructions; nothing of the standard library may be included below.
#pragma GCC diagnostic ignored "-Wunknown-pragmas"  // clang takes the target from its options
#pragma GCC target("avx2,bmi,bmi2,lzcnt,popcnt")

#include "lanes/automata/packed_run-inl.h"
#include "lanes/registers/register_avx2-inl.h"

namespace lanewise::lanes {

template <class Classes>
static void run(const PackedTable& table, const RowJob& job) {
  using avx2::Next;
  using avx2::Register;
  if (table.entries <= 32) {
    run_packed<PackedGroup<Register, Classes, Next<32>>>(table, job);
  } else if (table.entries <= 64) {
    run_packed<PackedGroup<Register, Classes, Next<64>>>(table, job);
  } else if (table.entries <= 128) {
    run_packed<PackedGroup<Register, Classes, Next<128>>>(table, job);
  } else {
    run_packed<PackedGroup<Register, Classes, Next<256>>>(table, job);
  }
}

Target match_avx2(const PackedTable& table, const RowJob& job) {
  if (table.code_layers == 1) {
    run<avx2::CodeClasses<1>>(table, job);
  } else if (table.code_layers) {
    run<avx2::CodeClasses<PackedTable::kLayers>>(table, job);
  } else {
    run<avx2::RunClasses<15>>(table, job);
  }
  return Target::avx2;
}

}  // namespace lanewise::lanes

#endif
