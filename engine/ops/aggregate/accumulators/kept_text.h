#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "ops/aggregate/accumulators/states.h"
#include "primitives/groups/byte_store.h"

namespace lanewise::ops {

/// At most one string per group, which may be replaced. A new string reuses the memory of the old one;
/// a longer one gets at least twice the memory, so that less than the longest string is wasted.
class KeptText {
 public:
  explicit KeptText(MemoryBudget* budget) : texts_(budget), bytes_(budget, kGroupBy) {}

  void resize(uint32_t groups) { texts_.resize(groups); }
  bool has(uint32_t group) const { return texts_[group].data != nullptr; }
  std::string_view operator[](uint32_t group) const {
    return {reinterpret_cast<const char*>(texts_[group].data), texts_[group].size};
  }
  void put(uint32_t group, std::string_view value) {
    Text& text = texts_[group];
    if (text.data == nullptr || value.size() > text.room) {
      text.room = text.data == nullptr ? (value.size() + 7) / 8 * 8 : std::bit_ceil(value.size());
      text.data = bytes_.allocate(std::max<size_t>(text.room, 8));
    }
    if (!value.empty()) std::memmove(text.data, value.data(), value.size());
    text.size = value.size();
  }

 private:
  struct Text {
    uint8_t* data = nullptr;
    size_t size = 0;
    size_t room = 0;
  };
  States<Text> texts_;
  ByteStore bytes_;
};

/// A column of `count` strings: value(i) is called twice if valid(i).
template <class Valid, class ValueOf>
ColumnPtr text_column(Type type, uint32_t count, MemoryBudget* budget, Valid valid, ValueOf value) {
  auto column = std::make_shared<Column>();
  column->type = type;
  column->rows = count;
  Buffer validity = Buffer::allocate(bits::words(count) * 8, budget, kGroupBy);
  auto* present = validity.mutable_as<uint64_t>();
  bits::fill(present, count);
  size_t total = 0;
  for (uint32_t i = 0; i < count; ++i) {
    if (valid(i)) {
      total += value(i).size();
    } else {
      bits::clear(present, i);
      ++column->nulls;
    }
  }
  if (column->nulls != 0) column->validity = validity;
  column->wide_offsets = total > UINT32_MAX;
  column->values = Buffer::allocate(total, budget, kGroupBy);
  column->offsets = Buffer::allocate((size_t{count} + 1) * (column->wide_offsets ? 8 : 4), budget, kGroupBy);
  uint8_t* bytes = column->values.mutable_data();
  const auto write = [&](auto* offsets) {
    using Offset = std::remove_pointer_t<decltype(offsets)>;
    size_t end = 0;
    for (uint32_t i = 0; i < count; ++i) {
      offsets[i] = static_cast<Offset>(end);
      if (!bits::test(present, i)) continue;
      const std::string_view text = value(i);
      if (!text.empty()) std::memcpy(bytes + end, text.data(), text.size());
      end += text.size();
    }
    offsets[count] = static_cast<Offset>(end);
  };
  column->wide_offsets ? write(column->offsets.mutable_as<uint64_t>())
                       : write(column->offsets.mutable_as<uint32_t>());
  return column;
}

}  // namespace lanewise::ops
