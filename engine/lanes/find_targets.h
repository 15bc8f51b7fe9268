#pragma once

#include "lanes/lane.h"
#include "lanes/target.h"

namespace lanewise::lanes {

/// Two bytes at two distances from a start position.
struct BytePair {
  u64 first_at, second_at;
  u8 first, second;
};

/// How a target finds candidates. scan() sets bit k of masks[i] where the pair stands at start position at +
/// 64 i + k, for i < blocks, and returns whether there is any. Up to 63 bytes behind the last start's second
/// byte are read.
struct PairScan {
  Target target;
  bool (*scan)(const u8* at, u64 blocks, const BytePair& pair, u64* masks);
};

extern const PairScan kScalarScan;
extern const PairScan kEmulatedScan;
#if defined(__x86_64__)
extern const PairScan kAvx2Scan;
extern const PairScan kAvx512Scan;
#endif

}  // namespace lanewise::lanes
