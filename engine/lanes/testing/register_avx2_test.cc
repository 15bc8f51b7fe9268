#if defined(__x86_64__)

#include <immintrin.h>

#pragma GCC diagnostic ignored "-Wunknown-pragmas"  // clang takes the target from its options
#pragma GCC target("avx2,bmi,bmi2,lzcnt,popcnt")

#include "lanes/registers/register_avx2-inl.h"
#include "lanes/testing/register_ops-inl.h"

namespace lanewise::lanes {

using avx2::Register;
constexpr RegisterOps kOps = register_ops<Register>();
const RegisterOps kAvx2Register = kOps;
const LookUps kAvx2LookUps = {
    {look_up_next<Register, avx2::Next<64>>, look_up_next<Register, avx2::Next<128>>,
     look_up_next<Register, avx2::Next<256>>, nullptr},
    look_up<Register, avx2::RunClasses<15>>,
    look_up<Register, avx2::RunClasses<15>>,
    look_up<Register, avx2::CodeClasses<PackedTable::kLayers>>,
    look_up_kinds<Register, avx2::Kinds>,
    look_up_kinds<Register, avx2::Kinds>,
    look_up_kinds<Register, avx2::Kinds>};

}  // namespace lanewise::lanes

#endif
