#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace lanewise::cli::bench {

/// The study's loops of 2019, compiled by -O0 as it did: levels for its tables, of no other use.
struct Unoptimised {
  const char* name;
  /// A bit for each row that is `target`; all words of `out` are written.
  void (*filter)(const int32_t* values, size_t count, int32_t target, uint64_t* out);
  int64_t (*sum)(const int32_t* values, size_t count);
  void (*min_max)(const int32_t* values, size_t count, int32_t* least, int32_t* most);
  /// The bits of a bitmap of `count` rows. Bits after the last row are zero.
  size_t (*count)(const uint64_t* bitmap, size_t count);
};

/// "scalar -O0", which jumps for each row, and on a machine with AVX2 "avx2 -O0", which does not.
std::span<const Unoptimised> unoptimised_levels();

}  // namespace lanewise::cli::bench
