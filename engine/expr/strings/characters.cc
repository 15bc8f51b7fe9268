#include "expr/strings/characters.h"

#include <cstdint>
#include <cstring>

#include "expr/gpu/strings/slices-inl.h"
#include "expr/vectors/kernel_function.h"

namespace lanewise::expr {

namespace {

constexpr uint64_t kLow = 0x0101010101010101;
constexpr uint64_t kHigh = kLow << 7;

uint64_t load(const char* bytes) {
  uint64_t word;
  std::memcpy(&word, bytes, sizeof word);
  return word;
}

}  // namespace

bool is_ascii(std::string_view text) {
  const char* at = text.data();
  const char* const end = at + text.size();
  uint64_t seen = 0;
  for (; end - at >= 32; at += 32) {
    seen = load(at) | load(at + 8) | load(at + 16) | load(at + 24);
    if ((seen & kHigh) != 0) return false;
  }
  for (; end - at >= 8; at += 8) seen |= load(at);
  if (text.size() >= 8) return ((seen | load(end - 8)) & kHigh) == 0;  // the rest, and some bytes again
  for (; at != end; ++at) seen |= static_cast<unsigned char>(*at);
  return seen < 0x80;
}

size_t count_characters(std::string_view text) {
  const char* at = text.data();
  const char* const end = at + text.size();
  size_t count = 0;
  for (; end - at >= 8; at += 8) count += kernel::starts_in(load(at));
  for (; at != end; ++at) count += starts_character(*at);
  return count;
}

size_t skip_characters(std::string_view text, size_t count) {
  return kernel::skip_characters(kernel_text(text), count);
}
size_t skip_characters_back(std::string_view text, size_t count) {
  return kernel::skip_characters_back(kernel_text(text), count);
}

}  // namespace lanewise::expr
