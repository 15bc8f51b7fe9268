#include "lanes/automata/rows_targets.h"

#if defined(__aarch64__)

#include "lanes/automata/packed_run-inl.h"
#include "lanes/registers/register_neon-inl.h"

namespace lanewise::lanes {

Target match_neon(const PackedTable& table, const RowJob& job) {
  table.high_is_uniform ? run_by_entries<neon::Register, neon::LowClasses, neon::Next>(table, job)
                        : run_by_entries<neon::Register, neon::Classes, neon::Next>(table, job);
  return Target::neon;
}

}  // namespace lanewise::lanes

#endif
