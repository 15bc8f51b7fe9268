#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "base/int128.h"

/// 64-bit hashes of words and bytes for tables in memory: not for files, not safe against attacks. All bits
/// are mixed, the highest ones best.
namespace lanewise::hash {

inline uint64_t load8(const uint8_t* from) {
  uint64_t word;
  std::memcpy(&word, from, 8);
  return word;
}

inline uint64_t load4(const uint8_t* from) {
  uint32_t word;
  std::memcpy(&word, from, 4);
  return word;
}

/// The 128-bit product folded to 64 bits.
inline uint64_t fold(uint64_t a, uint64_t b) {
  const auto product = static_cast<uint128_t>(a) * b;
  return static_cast<uint64_t>(product) ^ static_cast<uint64_t>(product >> 64);
}

#ifndef LANEWISE_EQUAL_HASHES
inline constexpr uint64_t kSalt[] = {0x9e3779b97f4a7c15, 0xd6e8feb86659fd93, 0xa0761d6478bd642f,
                                     0xe7037ed1a0b428db};
#else
inline constexpr uint64_t kSalt[] = {0, 0, 0, 0};  // a hash ends with a multiplication: all are 0
#endif

inline uint64_t of_word(uint64_t word) {
  word *= kSalt[0];
  word ^= word >> 32;
  return word * kSalt[1];
}

/// Reads no byte outside [bytes, bytes + size).
inline uint64_t of_bytes(const uint8_t* bytes, size_t size) {
  uint64_t state = kSalt[2] ^ size * kSalt[3];
  const uint8_t* end = bytes + size;
  if (size >= 16) {
    for (; end - bytes > 16; bytes += 16) state = fold(load8(bytes) ^ kSalt[0], load8(bytes + 8) ^ state);
    return fold(fold(load8(end - 16) ^ kSalt[1], load8(end - 8) ^ state), kSalt[3]);
  }
  uint64_t low = 0;
  uint64_t high = 0;
  if (size >= 8) {
    low = load8(bytes);
    high = load8(end - 8);
  } else if (size >= 4) {
    low = load4(bytes);
    high = load4(end - 4);
  } else if (size != 0) {
    low = static_cast<uint64_t>(bytes[0]) << 16 | static_cast<uint64_t>(bytes[size / 2]) << 8 | end[-1];
  }
  return fold(fold(low ^ kSalt[1], high ^ state), kSalt[3]);
}

/// Whether `size` bytes are equal; faster than memcmp for the short keys of tables.
inline bool same_bytes(const uint8_t* a, const uint8_t* b, size_t size) {
  if (size >= 8) {
    size_t at = 0;
    for (; at + 8 <= size; at += 8) {
      if (load8(a + at) != load8(b + at)) return false;
    }
    return load8(a + size - 8) == load8(b + size - 8);
  }
  if (size >= 4) return load4(a) == load4(b) && load4(a + size - 4) == load4(b + size - 4);
  for (size_t at = 0; at < size; ++at) {
    if (a[at] != b[at]) return false;
  }
  return true;
}

}  // namespace lanewise::hash
