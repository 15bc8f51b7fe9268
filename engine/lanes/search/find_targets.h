#pragma once

#include "lanes/lane.h"
#include "lanes/search/kind_table.h"
#include "lanes/targets/target.h"

namespace lanewise::lanes {

/// Two bytes at two distances from a start position.
struct BytePair {
  u64 first_at, second_at;
  u8 first, second;
};

/// What may stand at a start position and after it: strings of up to eight kinds, by their bytes at `size`
/// neighbouring places from `first_at` on.
struct Fingerprint {
  static constexpr u32 kLongest = 4;
  u64 first_at;
  u32 size;  ///< 1 to kLongest
  KindTable kinds[kLongest];
};

/// How a target looks at bytes as lanes. All read up to 63 bytes after the last one that they look at. The
/// first three set bit k of masks[i] for start position at + 64 i + k, for i < blocks <= 64, and return which
/// masks are not 0, as bits.
struct Scans {
  Target target;
  /// Where the pair stands.
  u64 (*pair)(const u8* at, u64 blocks, const BytePair& pair, u64* masks);
  /// Where the bytes at all places share a kind, or more often.
  u64 (*fingerprint)(const u8* at, u64 blocks, const Fingerprint& fingerprint, u64* masks);
  /// Where the byte is a member of a set that has_exact_kinds().
  u64 (*members)(const u8* at, u64 blocks, const KindTable& set, u64* masks);
  /// As find_line_ends() and count_lines() of lines.h.
  u64 (*line_ends)(const u8* text, u64 from, u64 to, u32* ends, u64 capacity);
  u64 (*count_lines)(const u8* text, u64 size);
};

/// Those of a target; `branching`, `auto` and `interleaved` share them with `scalar`.
const Scans& scans_of(Target target);

extern const Scans kScalarScans;
extern const Scans kEmulatedScans;
#if defined(__x86_64__)
extern const Scans kAvx2Scans;
extern const Scans kAvx512Scans;
#elif defined(__aarch64__)
extern const Scans kNeonScans;
#endif

}  // namespace lanewise::lanes
