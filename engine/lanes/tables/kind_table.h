#pragma once

// Freestanding. No standard headers here.

#include "lanes/lane.h"

namespace lanewise::lanes {

/// The kinds (buckets) of each byte, up to eight, as bits; and of parts of bytes, which have the kinds of all
/// bytes with that part. Registers look up a byte's six low bits, or its nibbles: then a byte has the kinds
/// that both of its nibbles have, so false positives are possible.
struct KindTable {
  alignas(64) u8 of_byte[256];
  alignas(64) u8 of_six[64];
  alignas(16) u8 of_low[16];
  alignas(16) u8 of_high[16];
  bool high_is_uniform;  ///< bytes >= 0x80 all have the same kinds

  /// Call it once of_byte is filled.
  void finish() {
    high_is_uniform = true;
    for (u32 i = 0; i < 64; i++) of_six[i] = 0;
    for (u32 i = 0; i < 16; i++) of_low[i] = of_high[i] = 0;
    for (u32 byte = 0; byte < 256; byte++) {
      of_six[byte % 64] |= of_byte[byte];
      of_low[byte % 16] |= of_byte[byte];
      of_high[byte / 16] |= of_byte[byte];
      if (byte >= 128 && of_byte[byte] != of_byte[128]) high_is_uniform = false;
    }
  }
};

}  // namespace lanewise::lanes
