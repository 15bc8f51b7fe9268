#include "lanes/tables/kind_sets.h"

#include <algorithm>
#include <vector>

namespace lanewise::lanes {
namespace {

constexpr u32 kKinds = 8;

/// The low nibbles of each high nibble in the set, as bits; distinct patterns, without the empty one.
std::vector<u32> patterns(const std::bitset<256>& set, u32 (&of_high)[16]) {
  std::vector<u32> found;
  for (u32 high = 0; high < 16; high++) {
    of_high[high] = 0;
    for (u32 low = 0; low < 16; low++) of_high[high] |= u32(set[16 * high + low]) << low;
    if (of_high[high] && std::ranges::find(found, of_high[high]) == found.end())
      found.push_back(of_high[high]);
  }
  return found;
}

}  // namespace

KindTable kinds_of_set(const std::bitset<256>& set) {
  u32 of_high[16];
  const std::vector<u32> known = patterns(set, of_high);
  KindTable table{};
  for (u32 byte = 0; byte < 256; byte++) {
    if (!set[byte]) continue;
    const auto pattern = std::ranges::find(known, of_high[byte / 16]) - known.begin();
    table.of_byte[byte] = u8(1 << pattern % kKinds);
  }
  table.finish();
  return table;
}

bool has_exact_kinds(const std::bitset<256>& set) {
  u32 of_high[16];
  return patterns(set, of_high).size() <= kKinds;
}

}  // namespace lanewise::lanes
