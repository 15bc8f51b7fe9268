#include "lanes/search/find_targets.h"

#if defined(__aarch64__)

#include "lanes/registers/register_neon-inl.h"
#include "lanes/search/find-inl.h"

namespace lanewise::lanes {

const Scans kNeonScans = {Target::neon,
                          scan_pair<neon::Register>,
                          scan_fingerprint<neon::Register, neon::Kinds>,
                          scan_members<neon::Register, neon::Kinds>,
                          scan_line_ends<neon::Register>,
                          scan_lines<neon::Register>};

}  // namespace lanewise::lanes

#endif
