#pragma once

#include <cstdint>

#include "primitives/groups/hash.h"

namespace lanewise {

/// Bytes of a key that a Grouping keeps, as a word that holds their size and their address.
struct KeptBytes {
  uint64_t size;
  const uint8_t* bytes;
};
inline KeptBytes kept_at(uint64_t word) {
  const auto* at = reinterpret_cast<const uint8_t*>(word);
  return {hash::load8(at), at + 8};
}
inline bool same_kept(uint64_t word, const uint8_t* bytes, uint64_t size) {
  const KeptBytes kept = kept_at(word);
  return kept.size == size && hash::same_bytes(kept.bytes, bytes, size);
}

}  // namespace lanewise
