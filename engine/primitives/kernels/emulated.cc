#include "primitives/kernels/tables.h"

#pragma GCC diagnostic ignored \
    "-Wpsabi"  // vectors wider than the machine's registers: the point of this target

#include "primitives/kernels/vector_tables-inl.h"

namespace lanewise::kernels {
namespace {

struct Emulated {
  static constexpr lanes::Target kTarget = lanes::Target::emulated;
  static constexpr size_t kBytes = 64;

  template <class Mask>
  static LANES_FN u64 bits(Mask mask) {
    u64 result = 0;
    for (size_t k = 0; k < sizeof mask / sizeof mask[0]; k++) result |= u64(mask[k] & 1) << k;
    return result;
  }
  static LANES_FN uint32_t* list_word(u64 word, uint32_t first, uint32_t* out) {
    for (u32 k = 0; k < 64; k++) {
      *out = first + k;
      out += word >> k & 1;
    }
    return out;
  }
};

}  // namespace

constexpr Tables kTables = vector_tables<Emulated>();
const Tables kEmulatedTables = kTables;

}  // namespace lanewise::kernels
