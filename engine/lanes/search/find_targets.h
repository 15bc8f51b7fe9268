#pragma once

#include "lanes/lane.h"
#include "lanes/tables/kind_table.h"
#include "lanes/targets/target.h"

namespace lanewise::lanes {

/// Two bytes at two distances from a start position.
struct BytePair {
  u64 first_at, second_at;
  u8 first, second;
};

/// The bytes that may follow a start position: strings in up to eight buckets, by their bytes at `size`
/// consecutive positions from `first_at` on.
struct Fingerprint {
  static constexpr u32 kLongest = 4;
  u64 first_at;
  u32 size;  ///< 1 to kLongest
  KindTable kinds[kLongest];
};

/// How a target scans bytes as lanes. All read up to 63 bytes after the last byte that they scan. The
/// first three set bit k of masks[i] for start position at + 64 i + k, for i < blocks <= 64, and return, as
/// bits, which masks are not 0.
struct Scans {
  Target target;
  /// Finds the positions of the pair.
  u64 (*pair)(const u8* at, u64 blocks, const BytePair& pair, u64* masks);
  /// Finds the positions whose bytes share a bucket, and perhaps more.
  u64 (*fingerprint)(const u8* at, u64 blocks, const Fingerprint& fingerprint, u64* masks);
  /// Finds the bytes in a set for which has_exact_kinds() is true.
  u64 (*members)(const u8* at, u64 blocks, const KindTable& set, u64* masks);
  /// Implement find_line_ends() and count_lines() of lines.h.
  u64 (*line_ends)(const u8* text, u64 from, u64 to, u32* ends, u64 capacity);
  u64 (*count_lines)(const u8* text, u64 size);
};

/// The scans of a target; `branching`, `auto` and `interleaved` share those of `scalar`.
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
