#include "text/unicode/utf8.h"

#include <cstdint>
#include <cstring>

namespace lanewise::text::unicode {

bool is_ascii(std::string_view text) {
  size_t at = 0;
  uint64_t words[32];
  for (; at + sizeof words <= text.size(); at += sizeof words) {
    std::memcpy(words, text.data() + at, sizeof words);
    uint64_t all = 0;
    for (const uint64_t word : words) all |= word;
    if (all & 0x8080808080808080) return false;
  }
  for (; at < text.size(); ++at) {
    if (static_cast<uint8_t>(text[at]) >= 0x80) return false;
  }
  return true;
}

Decoded decode(std::string_view text) {
  constexpr Decoded kMalformed{0, 0};
  if (text.empty()) return kMalformed;
  auto byte = [&](size_t i) { return static_cast<unsigned char>(text[i]); };
  const char32_t lead = byte(0);
  if (lead < 0x80) return {lead, 1};
  const int bytes = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
  if (lead < 0xC2 || lead > 0xF4 || text.size() < static_cast<size_t>(bytes)) return kMalformed;
  char32_t c = lead & (0x7F >> bytes);
  for (int i = 1; i < bytes; ++i) {
    if (!is_continuation(text[i])) return kMalformed;
    c = c << 6 | (byte(i) & 0x3F);
  }
  constexpr char32_t kSmallest[] = {0, 0, 0x80, 0x800, 0x10000};
  if (c < kSmallest[bytes] || c > kMaxCodePoint || (c >= 0xD800 && c <= 0xDFFF)) return kMalformed;
  return {c, bytes};
}

int encode(char32_t c, char* out) {
  if (c < 0x80) {
    out[0] = static_cast<char>(c);
    return 1;
  }
  const int bytes = c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
  for (int i = bytes - 1; i > 0; --i, c >>= 6) out[i] = static_cast<char>(0x80 | (c & 0x3F));
  out[0] = static_cast<char>((0xF00 >> bytes) | c);
  return bytes;
}

std::string encode(char32_t c) {
  char bytes[4];
  return std::string(bytes, encode(c, bytes));
}

}  // namespace lanewise::text::unicode
