#include "base/error.h"
#include "lanes/automata/core_run-inl.h"

namespace lanewise::lanes {

Target match_scalar(const CoreTable& table, const RowJob& job) {
  run_core<1>(table, job);
  return Target::scalar;
}

Target match_interleaved(const CoreTable& table, const RowJob& job, u32 width) {
  invariant(width == 4 || width == 8, "interleaved lanes are 4 or 8");
  width == 4 ? run_core<4>(table, job) : run_core<8>(table, job);
  return Target::interleaved;
}

Target match_emulated(const CoreTable& table, const RowJob& job) {
  run_core<32>(table, job);
  return Target::emulated;
}

}  // namespace lanewise::lanes
