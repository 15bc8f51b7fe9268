#include "lanes/registers/register_emulated-inl.h"

#include "lanes/testing/register_ops-inl.h"

namespace lanewise::lanes {

using emulated::Register;
const RegisterOps kEmulatedRegister = register_ops<Register>();
const LookUps kEmulatedLookUps = {
    {look_up_next<Register, emulated::Next>, look_up_next<Register, emulated::Next>,
     look_up_next<Register, emulated::Next>, look_up_next<Register, emulated::Next>},
    look_up<Register, emulated::Classes>,
    look_up<Register, emulated::Classes>,
    look_up<Register, emulated::Classes>,
    look_up_kinds<Register, emulated::Kinds>,
    look_up_kinds<Register, emulated::Kinds>,
    look_up_kinds<Register, emulated::Kinds>};

}  // namespace lanewise::lanes
