#include "text/automaton/utf8_ranges.h"

#include "text/unicode/utf8.h"

namespace lanewise::text::automaton {
namespace {

/// Adds lo..hi, first split into ranges of one length, then so that only trailing bytes vary over their whole
/// range.
void add_range(char32_t lo, char32_t hi, std::vector<ByteSequence>& out) {
  constexpr char32_t kLast[] = {0x7F, 0x7FF, 0xFFFF};
  if (lo == 0x80 && hi == unicode::kMaxCodePoint) {
    out.push_back({{{0xC2, 0xDF}, {0x80, 0xBF}}, 2});
    out.push_back({{{0xE0, 0xEF}, {0x80, 0xBF}, {0x80, 0xBF}}, 3});
    out.push_back({{{0xF0, 0xF4}, {0x80, 0xBF}, {0x80, 0xBF}, {0x80, 0xBF}}, 4});
    return;
  }
  auto cut = [&](char32_t last_of_first) {
    add_range(lo, last_of_first, out);
    add_range(last_of_first + 1, hi, out);
  };
  for (char32_t last : kLast) {
    if (lo <= last && last < hi) return cut(last);
  }
  for (int bits = 6; lo > 0x7F && bits <= 18; bits += 6) {
    const char32_t mask = (char32_t{1} << bits) - 1;
    if ((lo & ~mask) == (hi & ~mask)) break;
    if ((lo & mask) != 0) return cut(lo | mask);
    if ((hi & mask) != mask) return cut((hi & ~mask) - 1);
  }
  char first[4], last[4];
  ByteSequence sequence;
  sequence.size = unicode::encode(lo, first);
  unicode::encode(hi, last);
  for (int i = 0; i < sequence.size; ++i) {
    sequence.range[i] = {static_cast<uint8_t>(first[i]), static_cast<uint8_t>(last[i])};
  }
  out.push_back(sequence);
}

}  // namespace

std::vector<ByteSequence> utf8_sequences(const syntax::CharSet& set) {
  std::vector<ByteSequence> out;
  for (const syntax::CharRange& r : set.ranges()) add_range(r.lo, r.hi, out);
  return out;
}

}  // namespace lanewise::text::automaton
