#pragma once

#include "lanes/lane.h"
#include "lanes/target.h"

namespace lanewise::lanes {

/// Two bytes at two distances from a start position.
struct BytePair {
  u64 first_at, second_at;
  u8 first, second;
};

/// How a target looks at bytes as lanes. All read up to 63 bytes behind the last one that they look at.
struct Scans {
  Target target;
  /// Sets bit k of masks[i] where the pair stands at start position at + 64 i + k, for i < blocks. Returns
  /// whether there is any.
  bool (*pair)(const u8* at, u64 blocks, const BytePair& pair, u64* masks);
  /// As find_line_ends() and count_lines() of lines.h.
  u64 (*line_ends)(const u8* text, u64 from, u64 to, u32* ends, u64 capacity);
  u64 (*count_lines)(const u8* text, u64 size);
};

/// Those of a target; `interleaved` shares them with `scalar`.
const Scans& scans_of(Target target);

extern const Scans kScalarScans;
extern const Scans kEmulatedScans;
#if defined(__x86_64__)
extern const Scans kAvx2Scans;
extern const Scans kAvx512Scans;
#endif

}  // namespace lanewise::lanes
