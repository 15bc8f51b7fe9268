#include "lanes/byte_classes.h"

#include <algorithm>
#include <array>
#include <bit>
#include <vector>

namespace lanewise::lanes {

void find_runs(const u8* class_of, PackedTable& table) {
  const auto class_at = [&](u32 i) { return class_of[(i + 128) % 256]; };
  table.runs = 1;
  table.run_class[0] = class_at(0);
  for (u32 i = 1; i < 256; i++) {
    if (class_at(i) == class_at(i - 1)) continue;
    if (table.runs == 16) {
      table.runs = 0;
      return;
    }
    table.run_start[table.runs - 1] = u8(i + 128);
    table.run_class[table.runs++] = class_at(i);
  }
}

/// The class of bytes >= 0x80 has the code 0. High halves with the same classes share bits of the code,
/// enough to number their classes by the low half; others have bits of their own.
void find_codes(const u8* class_of, PackedTable& table) {
  using Classes = std::array<u8, 16>;  // by low half
  const u8 usual = class_of[128];
  table.has_codes = std::all_of(class_of + 128, class_of + 256, [&](u8 c) { return c == usual; });
  std::fill_n(table.low_code, 16, u8(0));
  std::fill_n(table.high_code, 16, u8(0));
  std::fill_n(table.code_class, 16, usual);
  std::vector<std::pair<Classes, u8>> known;  // with the bits of their codes
  u32 used = 0;
  for (u32 high = 0; high < 8 && table.has_codes; high++) {
    Classes classes;
    std::copy_n(class_of + 16 * high, 16, classes.begin());
    const auto same = std::ranges::find(known, classes, &std::pair<Classes, u8>::first);
    if (same != known.end()) {
      table.high_code[high] = same->second;
      continue;
    }
    std::vector<u8> numbered{usual};
    for (u32 low = 0; low < 16; low++) {
      auto number = u32(std::ranges::find(numbered, classes[low]) - numbered.begin());
      if (number == numbered.size()) numbered.push_back(classes[low]);
      const u32 code = number << used;
      if (code >= 16) {
        table.has_codes = false;
        break;
      }
      table.low_code[low] |= u8(code);
      table.code_class[code] = classes[low];
    }
    const u32 bits = std::bit_width(numbered.size() - 1);
    table.high_code[high] = u8(((1u << bits) - 1) << used & 15);
    known.emplace_back(classes, table.high_code[high]);
    used += bits;
  }
}

}  // namespace lanewise::lanes
