#include "lanes/automata/packed_run-inl.h"
#include "lanes/registers/register_emulated-inl.h"

namespace lanewise::lanes {

Target match_emulated(const PackedTable& table, const RowJob& job) {
  run_packed<PackedGroup<emulated::Register, emulated::Classes, emulated::Next>>(table, job);
  return Target::emulated;
}

}  // namespace lanewise::lanes
