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

  using U32 = Vector<u32, 16>;
  static LANES_FN U32 permute(U32 v, U32 index) {
    U32 result;
    for (int k = 0; k < 16; k++) result[k] = v[index[k] & 15];
    return result;
  }
  static LANES_FN U32 gather(const uint32_t* from, U32 index) {
    U32 result;
    for (int k = 0; k < 16; k++) result[k] = from[index[k]];
    return result;
  }
  static LANES_FN U32 compress(U32 v, u64 mask) {
    U32 result{};
    for (int k = 0, count = 0; k < 16; k++) {
      if (mask >> k & 1) result[count++] = v[k];
    }
    return result;
  }
  static LANES_FN U32 prefix(u64 mask) {
    U32 result;
    u32 count = 0;
    for (int k = 0; k < 16; k++) result[k] = count += mask >> k & 1;
    return result;
  }
};

}  // namespace

constexpr Tables kTables = vector_tables<Emulated>();
const Tables kEmulatedTables = kTables;

}  // namespace lanewise::kernels
