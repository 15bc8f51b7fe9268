#include "lanes/search/fixed.h"

#include <algorithm>
#include <cstring>
#include <vector>

#include "base/error.h"

namespace lanewise::lanes {
namespace {

u64 word_at(const void* bytes) {
  u64 word;
  std::memcpy(&word, bytes, 8);
  return word;
}

template <class Offset>
u64 test(const u8* bytes, const Offset* offsets, u32 gap, u64 asked, const FixedText& text) {
  u64 found = 0;
  for (u64 rest = asked; rest; rest &= rest - 1) {
    const u32 i = u32(__builtin_ctzll(rest));
    const u64 begin = offsets[i], size = offsets[i + 1] - gap - begin;
    bool same = text.place == Place::whole ? size == text.size : size >= text.size;
    const u8* at = bytes + begin + (same && text.place == Place::end ? size - text.size : 0);
    for (u32 w = 0; same && w < text.words; w++)
      same = (word_at(at + text.at[w]) & text.mask) == text.value[w];
    found |= u64(same) << i;
  }
  return found;
}

FixedText head_of(const std::string& text, Place place) {
  FixedText head{.place = place, .size = text.size(), .words = 0, .mask = ~u64(0), .at = {}, .value = {}};
  if (text.size() < 8) head.mask = (u64(1) << 8 * text.size()) - 1;
  for (u64 from = 0; from < text.size() && head.words < FixedText::kWords; from += 8) {
    // The last word overlaps the previous one rather than the end of the text.
    const u64 at = text.size() < 8 ? 0 : std::min<u64>(from, text.size() - 8);
    u8 bytes[8] = {};
    text.copy(reinterpret_cast<char*>(bytes), 8, at);
    head.at[head.words] = at;
    head.value[head.words++] = word_at(bytes);
  }
  return head;
}

/// The requested ones of the 64 rows from `first`, as bits.
u64 asked_of(const StringRows& rows, const u64* active, u64 first) {
  if (first >= rows.count) return 0;
  return (active ? active[first / 64] : ~u64(0)) & ~u64(0) >> (64 - std::min<u64>(64, rows.count - first));
}

/// Prefetches the words to be compared: one position per row, which a core does not recognise as a stream.
void fetch(const StringRows& rows, const u8* bytes, u64 first, u64 asked, Place place) {
  for (u64 rest = asked; rest; rest &= rest - 1) {
    const u64 row = first + u64(__builtin_ctzll(rest));
    __builtin_prefetch(bytes + (place == Place::end ? rows.end(row) : rows.offset(row)));
  }
}

const FixedTests& tests_of(Target target) {
  switch (target) {
#if defined(__x86_64__)
    case Target::avx512:
      return kAvx512FixedTests;
    case Target::avx2:
      return kAvx2FixedTests;
#endif
    default:
      return kScalarFixedTests;
  }
}

}  // namespace

const FixedTests kScalarFixedTests = {Target::scalar, test<u32>, test<u64>};

FixedFinder::FixedFinder(Target target, std::string text, Place place)
    : target_(target), text_(std::move(text)), head_(head_of(text_, place)) {
  invariant(supported(target), "a fixed finder's target is supported");
}

Target FixedFinder::match(const StringRows& rows, const u64* active, u64* hits) const {
  static constexpr u8 kNoBytes[8] = {};
  constexpr u64 kHead = 8 * FixedText::kWords;
  const FixedTests& tests = tests_of(target_);
  const u8* bytes = rows.bytes ? rows.bytes : kNoBytes;
  u64 next = asked_of(rows, active, 0);
  fetch(rows, bytes, 0, next, head_.place);
  for (u64 first = 0; first < rows.count; first += 64) {
    const u64 asked = next;
    next = asked_of(rows, active, first + 64);
    fetch(rows, bytes, first + 64, next, head_.place);
    u64 found = 0;
    if (asked) {
      found = rows.offsets32 ? tests.narrow(bytes, rows.offsets32 + first, rows.gap, asked, head_)
                             : tests.wide(bytes, rows.offsets64 + first, rows.gap, asked, head_);
    }
    for (u64 rest = text_.size() > kHead ? found : 0; rest; rest &= rest - 1) {
      const u64 row = first + u64(__builtin_ctzll(rest));
      const u64 at = head_.place == Place::end ? rows.end(row) - text_.size() : rows.offset(row);
      if (std::memcmp(bytes + at + kHead, text_.data() + kHead, text_.size() - kHead) != 0)
        found &= ~(rest & -rest);
    }
    hits[first / 64] = found;
  }
  return tests.target;
}

}  // namespace lanewise::lanes
