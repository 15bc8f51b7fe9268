#include "primitives/kernels/tables.h"

#pragma GCC diagnostic ignored "-Wunknown-pragmas"  // clang vectorises anyway
#pragma GCC optimize("O3")                          // this target is defined by vectorisation

#include "primitives/groups/hash.h"

#if defined(__x86_64__)
// Everything below may use these instructions; nothing of the standard library may be included below.
#pragma GCC target("avx2,bmi,bmi2,lzcnt,popcnt")
#endif

#include "primitives/kernels/plain-inl.h"

namespace lanewise::kernels {
namespace {

struct Auto : plain::WithoutJumps {
  static constexpr lanes::Target kTarget = lanes::Target::automatic;
};

}  // namespace

constexpr Tables kTables = plain::tables_of<Auto>();
const Tables kAutoTables = kTables;

}  // namespace lanewise::kernels
