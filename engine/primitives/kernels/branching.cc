#include "primitives/kernels/tables.h"

#pragma GCC diagnostic ignored "-Wunknown-pragmas"  // clang knows no such option
#pragma GCC optimize("no-tree-vectorize")           // this target is defined by a branch for each row

#include "primitives/kernels/plain-inl.h"

namespace lanewise::kernels {
namespace {

/// The empty statement keeps compilers from turning a branch into arithmetic.
struct Branching {
  static constexpr lanes::Target kTarget = lanes::Target::branching;

  template <class T>
  static LANES_FN T pick(bool c, T a, T b) {
    if (c) {
      asm volatile("");
      return a;
    }
    return b;
  }
  template <class T>
  static LANES_FN T keep(bool c, T a) {
    return pick(c, a, T(0));
  }
  static LANES_FN u32 count(u64 word) {
    u32 total = 0;
    for (u32 k = 0; k < 64; k++) total += keep(word >> k & 1, 1u);
    return total;
  }
  static LANES_FN uint32_t* list_word(u64 word, uint32_t first, uint32_t* out) {
    for (u32 k = 0; k < 64; k++) {
      if (word >> k & 1) *out++ = first + k;
    }
    return out;
  }
};

}  // namespace

constexpr Tables kTables = plain::tables_of<Branching>();
const Tables kBranchingTables = kTables;

}  // namespace lanewise::kernels
