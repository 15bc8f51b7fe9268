#include "primitives/sort/sort_keys.h"

#include <algorithm>
#include <bit>
#include <cstring>

namespace lanewise {

namespace {

constexpr uint64_t kTop = uint64_t{1} << 63;

/// Bits of an IEEE number, NaN positive, as an unsigned number of the same order.
uint64_t order_of_float(uint64_t bits, int size) {
  const uint64_t top = uint64_t{1} << (8 * size - 1);
  const uint64_t all = top | (top - 1);
  return (bits & top) != 0 ? ~bits & all : bits | top;
}

void put_big_endian(uint64_t word, int size, uint8_t*& to) {
  for (int byte = size - 1; byte >= 0; --byte) *to++ = static_cast<uint8_t>(word >> (8 * byte));
}

void put_number(Type type, const uint64_t* words, uint8_t*& to) {
  if (type.id == TypeId::kInterval) {  // words: months << 8 | days, micros
    put_big_endian((words[0] ^ kTop) ^ 0x80, 8, to);
    put_big_endian(words[1] ^ kTop, 8, to);
  } else if (key_width(type) == 2) {
    put_big_endian(type.is_unsigned_integer() ? words[1] : words[1] ^ kTop, 8, to);
    put_big_endian(words[0], 8, to);
  } else {
    put_big_endian(order_word(type, words[0]), order_bytes(type), to);
  }
}

void put_text(std::string_view text, uint8_t*& to) {
  for (const char byte : text) {
    *to++ = static_cast<uint8_t>(byte);
    if (byte == 0) *to++ = 1;
  }
  *to++ = 0;
  *to++ = 0;
}

size_t size_of_text(std::string_view text) {
  return text.size() + static_cast<size_t>(std::count(text.begin(), text.end(), '\0')) + 2;
}

}  // namespace

int order_bytes(Type type) { return static_cast<int>(width(type.physical())); }

uint64_t order_word(Type type, uint64_t word) {
  if (type.is_float()) return order_of_float(word, order_bytes(type));
  const Physical physical = type.physical();
  if (type.is_unsigned_integer() || physical == Physical::kBool) return word;
  const uint64_t top = uint64_t{1} << (8 * order_bytes(type) - 1);
  return (word ^ top) & (top | (top - 1));
}

SortKeys::SortKeys(std::vector<Type> types, std::vector<SortDirection> directions)
    : types_(std::move(types)), directions_(std::move(directions)) {
  for (const Type type : types_) {
    if (type.is_string()) {
      fixed_size_ = 0;
      return;
    }
    fixed_size_ += 1 + static_cast<size_t>(order_bytes(type));
  }
}

void SortKeys::encode(std::span<const KeyWords> keys, std::span<const uint32_t> rows, Arena& arena,
                      std::string_view* out) const {
  auto* sizes = arena.allocate<size_t>(rows.size());
  std::fill_n(sizes, rows.size(), 0);
  size_t total = 0;
  for (size_t k = 0; k < keys.size(); ++k) {
    for (size_t i = 0; i < rows.size(); ++i) {
      const bool text = keys[k].text != nullptr;
      size_t size = 1;
      if (!text) size += static_cast<size_t>(order_bytes(types_[k]));
      if (text && !keys[k].is_null(rows[i])) size += size_of_text(keys[k].text->text(rows[i]));
      sizes[i] += size;
      total += size;
    }
  }
  auto* next = arena.allocate<uint8_t>(total);
  auto** ends = arena.allocate<uint8_t*>(rows.size());
  for (size_t i = 0; i < rows.size(); ++i) {
    out[i] = {reinterpret_cast<const char*>(next), sizes[i]};
    ends[i] = next;
    next += sizes[i];
  }
  for (size_t k = 0; k < keys.size(); ++k) {
    const KeyWords& key = keys[k];
    const auto width = static_cast<size_t>(key.width);
    for (size_t i = 0; i < rows.size(); ++i) {
      uint8_t*& to = ends[i];
      if (key.is_null(rows[i])) {
        *to++ = directions_[k].nulls_first ? 0 : 2;
        if (key.text != nullptr) continue;
        const auto size = static_cast<size_t>(order_bytes(types_[k]));
        std::memset(to, 0, size);
        to += size;
        continue;
      }
      *to++ = 1;
      uint8_t* start = to;
      if (key.text != nullptr) {
        put_text(key.text->text(rows[i]), to);
      } else {
        put_number(types_[k], key.words + rows[i] * width, to);
      }
      if (directions_[k].descending) std::transform(start, to, start, [](uint8_t byte) { return ~byte; });
    }
  }
}

}  // namespace lanewise
