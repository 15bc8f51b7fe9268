#include "lanes/automata/byte_classes.h"

#include <algorithm>
#include <array>
#include <bit>
#include <map>
#include <set>
#include <utility>
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

namespace {

using Classes = std::array<u8, 16>;  // by low half

/// Bits of a code that number the classes of the bytes with some high nibbles.
struct Field {
  std::vector<std::pair<u32, Classes>> highs;  // high nibbles, and the number of each low nibble's class
  std::vector<u8> classes;                     // by number, from 1 on; 0 is the most common class
  bool uniform = false;                        // each high nibble has one class
  u32 bits() const { return u32(std::bit_width(classes.size())); }
};

/// High nibbles of one class each share a field, as do those with the same classes.
std::vector<Field> find_fields(const u8* class_of, u8 usual) {
  std::map<Classes, std::vector<u32>> highs;
  for (u32 high = 0; high < 16; high++) {
    Classes classes;
    std::copy_n(class_of + 16 * high, 16, classes.begin());
    highs[classes].push_back(high);
  }
  std::vector<Field> fields(1);
  fields[0].uniform = true;
  for (const auto& [classes, which] : highs) {
    const bool same = std::ranges::count(classes, classes[0]) == 16;
    Field own, &field = same ? fields[0] : own;
    Classes numbers{};
    for (u32 low = 0; low < 16; low++) {
      if (classes[low] == usual) continue;
      const auto known = std::ranges::find(field.classes, classes[low]);
      numbers[low] = u8(known - field.classes.begin() + 1);
      if (known == field.classes.end()) field.classes.push_back(classes[low]);
    }
    for (u32 high : which) field.highs.emplace_back(high, numbers);
    if (!same) fields.push_back(own);
  }
  std::erase_if(fields, [](const Field& field) { return field.classes.empty(); });
  std::ranges::sort(fields, std::ranges::greater(), &Field::bits);
  return fields;
}

/// Gives each field bits of one layer; false if they do not fit.
bool place_fields(const std::vector<Field>& fields, u8 usual, PackedTable& table) {
  constexpr u32 kBits = 4;
  u32 used[PackedTable::kLayers] = {};
  for (u32 layer = 0; layer < PackedTable::kLayers; layer++) {
    table.codes[layer] = {};
    if (layer == 0) std::fill_n(table.codes[layer].classes, 16, usual);
  }
  table.code_layers = 1;
  for (const Field& field : fields) {
    u32 layer = 0;
    while (layer < PackedTable::kLayers && used[layer] + field.bits() > kBits) layer++;
    if (layer == PackedTable::kLayers) return false;
    table.code_layers = std::max(table.code_layers, layer + 1);
    PackedTable::Codes& codes = table.codes[layer];
    const u32 shift = used[layer];
    const u32 all = (1u << field.bits()) - 1;
    for (const auto& [high, numbers] : field.highs) {
      codes.of_high[high] |= u8((field.uniform ? numbers[0] : all) << shift);
      for (u32 low = 0; low < 16; low++)
        codes.of_low[low] |= u8((field.uniform ? all : numbers[low]) << shift);
    }
    for (u32 i = 0; i < field.classes.size(); i++)
      codes.classes[(i + 1) << shift] = u8(field.classes[i] ^ (layer == 0 ? 0 : usual));
    used[layer] += field.bits();
  }
  return true;
}

}  // namespace

void find_codes(const u8* class_of, PackedTable& table) {
  const std::set<u8> classes(class_of, class_of + 256);
  PackedTable::Codes best[PackedTable::kLayers];
  u32 layers = 0;
  for (u8 usual : classes) {
    if (!place_fields(find_fields(class_of, usual), usual, table)) continue;
    if (layers && table.code_layers >= layers) continue;
    layers = table.code_layers;
    std::ranges::copy(table.codes, best);
  }
  table.code_layers = layers;
  if (layers) std::ranges::copy(best, table.codes);
}

}  // namespace lanewise::lanes
