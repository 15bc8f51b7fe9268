#if defined(__x86_64__)

#include <immintrin.h>

#pragma GCC diagnostic ignored \
    "-Wmaybe-uninitialized"  // gcc 12 sees the undefined operands of its own intrinsics
#pragma GCC diagnostic ignored "-Wuninitialized"
#pragma GCC diagnostic ignored "-Wunknown-pragmas"  // clang takes the target from its options
#pragma GCC target("avx512f,avx512bw,avx512vl,avx512dq,avx512vbmi,avx512vbmi2,bmi,bmi2,lzcnt,popcnt")

#include "lanes/registers/register_avx512-inl.h"
#include "lanes/testing/register_ops-inl.h"

namespace lanewise::lanes {

using avx512::Register;
constexpr RegisterOps kOps = register_ops<Register>();
const RegisterOps kAvx512Register = kOps;
const LookUps kAvx512LookUps = {
    {look_up_next<Register, avx512::Next<64>>, look_up_next<Register, avx512::Next<128>>,
     look_up_next<Register, avx512::Next<256>>, look_up_next<Register, avx512::Next<512>>},
    look_up<Register, avx512::Classes>,
    look_up<Register, avx512::LowClasses>,
    look_up<Register, avx512::Classes>,
    look_up_kinds<Register, avx512::Kinds>,
    look_up_kinds<Register, avx512::AllKinds>,
    look_up_kinds<Register, avx512::LowKinds>};

}  // namespace lanewise::lanes

#endif
