#include "lanes/rows_targets.h"

#if defined(__aarch64__)

#include "lanes/packed_run-inl.h"
#include "lanes/register_neon-inl.h"

namespace lanewise::lanes {

template <class Classes>
static void run(const PackedTable& table, const RowJob& job) {
  using neon::Next;
  using neon::Register;
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

Target match_neon(const PackedTable& table, const RowJob& job) {
  table.high_is_uniform ? run<neon::LowClasses>(table, job) : run<neon::Classes>(table, job);
  return Target::neon;
}

}  // namespace lanewise::lanes

#endif
