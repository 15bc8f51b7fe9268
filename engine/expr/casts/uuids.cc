#include <bit>
#include <cstring>

#include "expr/casts/characters.h"
#include "expr/casts/convert.h"
#include "expr/casts/parse.h"

namespace lanewise::expr {

namespace {

constexpr size_t kHexDigits = 32;
constexpr size_t kBytes = sizeof(int128_t);
constexpr uint128_t kTopBit = uint128_t{1} << 127;  // flipped in values, see TypeId::kUuid

int128_t value_of(uint128_t bits) { return static_cast<int128_t>(bits ^ kTopBit); }

/// The 16 bytes in the order in which they are written.
uint128_t swapped(uint128_t bits) {
  return uint128_t{__builtin_bswap64(static_cast<uint64_t>(bits))} << 64 |
         __builtin_bswap64(static_cast<uint64_t>(bits >> 64));
}

}  // namespace

std::optional<int128_t> parse_uuid(std::string_view text) {
  if (text.starts_with('{')) {
    if (!text.ends_with('}')) return std::nullopt;
    text = text.substr(1, text.size() - 2);
  }
  uint128_t bits = 0;
  size_t digits = 0;
  for (const char c : text) {
    if (c == '-') continue;
    const int digit = hex_digit(c);
    if (digit < 0 || ++digits > kHexDigits) return std::nullopt;
    bits = bits << 4 | static_cast<uint128_t>(digit);
  }
  if (digits != kHexDigits) return std::nullopt;
  return value_of(bits);
}

Vector uuid_to_blob(const CastJob& job) {
  return convert<int128_t, std::string_view>(job, [&](int128_t value, std::string_view& out) {
    const uint128_t bytes = swapped(static_cast<uint128_t>(value) ^ kTopBit);
    out = job.arena.copy({reinterpret_cast<const char*>(&bytes), kBytes});
    return true;
  });
}

Vector blob_to_uuid(const CastJob& job) {
  return convert<std::string_view, int128_t>(job, [](std::string_view blob, int128_t& out) {
    if (blob.size() != kBytes) return false;
    uint128_t bytes;
    std::memcpy(&bytes, blob.data(), kBytes);
    out = value_of(swapped(bytes));
    return true;
  });
}

}  // namespace lanewise::expr
