#pragma once

#include "lanes/lane.h"
#include "lanes/targets/target.h"

namespace lanewise::lanes {

/// The position of a text in a row.
enum class Place : u8 { whole, begin, end };

/// The first bytes of a text, as words of 8 bytes at up to kWords positions, which may overlap.
struct FixedText {
  static constexpr u32 kWords = 4;
  Place place;
  u64 size;  ///< of the whole text
  u32 words;
  u64 mask;  ///< the bytes of a word that are compared
  u64 at[kWords];
  u64 value[kWords];
};

/// The rows of `asked`, as bits, that have all words of `text` at its position: of up to 64 consecutive rows,
/// of which row i is bytes[offsets[i], offsets[i + 1] - gap).
struct FixedTests {
  Target target;
  u64 (*narrow)(const u8* bytes, const u32* offsets, u32 gap, u64 asked, const FixedText& text);
  u64 (*wide)(const u8* bytes, const u64* offsets, u32 gap, u64 asked, const FixedText& text);
};

extern const FixedTests kScalarFixedTests;
#if defined(__x86_64__)
extern const FixedTests kAvx2FixedTests;
extern const FixedTests kAvx512FixedTests;
#endif

}  // namespace lanewise::lanes
