#if defined(__aarch64__)

#include "lanes/registers/register_neon-inl.h"

#include "lanes/testing/register_ops-inl.h"

namespace lanewise::lanes {

using neon::Register;
const RegisterOps kNeonRegister = register_ops<Register>();
const LookUps kNeonLookUps = {
    {look_up_next<Register, neon::Next<64>>, look_up_next<Register, neon::Next<128>>,
     look_up_next<Register, neon::Next<256>>, look_up_next<Register, neon::Next<512>>},
    look_up<Register, neon::Classes>,
    look_up<Register, neon::LowClasses>,
    look_up<Register, neon::Classes>,
    look_up_kinds<Register, neon::Kinds>,
    look_up_kinds<Register, neon::Kinds>,
    look_up_kinds<Register, neon::Kinds>};

}  // namespace lanewise::lanes

#endif
