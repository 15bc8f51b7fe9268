#include "index/image/key_layout.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

#include "base/error.h"
#include "primitives/sort/order_words.h"

namespace lanewise::index {

namespace {

/// A value of up to 128 bits, ordered like unsigned numbers.
struct Bits {
  u64 high = 0, low = 0;
};

template <class T>
Bits to_bits(const T& value) {
  if constexpr (sizeof(T) == 16) {
    return {order_word(value, 0), order_word(value, 1)};
  } else if constexpr (std::is_integral_v<T> && std::is_signed_v<T>) {
    using Unsigned = std::make_unsigned_t<T>;
    return {0, static_cast<Unsigned>(static_cast<Unsigned>(value) ^ Unsigned{1} << (8 * sizeof(T) - 1))};
  } else {
    return {0, order_word(value, 0)};
  }
}

template <class T>
T from_bits(const Bits& bits) {
  if constexpr (sizeof(T) == 16) {
    const auto value = static_cast<uint128_t>(bits.high) << 64 | bits.low;
    constexpr uint128_t kTop = std::is_same_v<T, int128_t> ? uint128_t{1} << 127 : 0;
    return static_cast<T>(value ^ kTop);
  } else if constexpr (std::is_floating_point_v<T>) {
    using Number = std::conditional_t<sizeof(T) == 4, uint32_t, uint64_t>;
    constexpr Number kSign = Number{1} << (8 * sizeof(T) - 1);
    const auto number = static_cast<Number>(bits.low);
    return std::bit_cast<T>(static_cast<Number>((number & kSign) != 0 ? number ^ kSign : ~number));
  } else if constexpr (std::is_signed_v<T>) {
    using Unsigned = std::make_unsigned_t<T>;
    return static_cast<T>(static_cast<Unsigned>(bits.low) ^ Unsigned{1} << (8 * sizeof(T) - 1));
  } else {
    return static_cast<T>(bits.low);
  }
}

/// Writes the lowest `bits` <= 64 of `value` from bit `at` on, counted from the top of words[0].
void put(u64* words, u32 at, u32 bits, u64 value) {
  const u32 left = 64 - at % 64;
  if (bits <= left) {
    words[at / 64] |= value << (left - bits);
  } else {
    words[at / 64] |= value >> (bits - left);
    words[at / 64 + 1] |= value << (64 - (bits - left));
  }
}

u64 get(const u64* words, u32 at, u32 bits) {
  const u32 left = 64 - at % 64;
  const u64 mask = bits == 64 ? ~u64{0} : (u64{1} << bits) - 1;
  if (bits <= left) return words[at / 64] >> (left - bits) & mask;
  return (words[at / 64] << (bits - left) | words[at / 64 + 1] >> (64 - (bits - left))) & mask;
}

/// Calls f(i, value or null) for the part's rows [first, first + count).
template <class T, class F>
void for_each_value(const Keys::Part& part, size_t first, size_t count, F f) {
  if (part.column == nullptr) {
    const T* values = static_cast<const T*>(part.values) + first;
    for (size_t i = 0; i < count; ++i) f(i, &values[i]);
    return;
  }
  const Column& column = *part.column;
  const Column& held = column.dictionary ? *column.dictionary : column;
  for (size_t i = 0; i < count; ++i) {
    const auto row = static_cast<int64_t>(first + i);
    if (column.is_null(row)) {
      f(i, static_cast<const T*>(nullptr));
      continue;
    }
    const int64_t entry = column.dictionary ? column.values.as<uint32_t>()[row] : row;
    if constexpr (std::is_same_v<T, std::string_view>) {
      const std::string_view text = held.text(entry);
      f(i, &text);
    } else {
      f(i, held.values.as<T>() + entry);
    }
  }
}

template <class F>
void visit_key(Physical physical, F f) {
  visit(physical, [&](auto zero) {
    if constexpr (!std::is_same_v<decltype(zero), Interval>) f(zero);
  });
}

[[noreturn]] void refuse_null(size_t row) {
  throw UserError(fmt::format("key {} is NULL, which this index rejects; make the field nullable", row));
}

u64 prefix_of(std::string_view text) {
  u64 word = 0;
  std::memcpy(&word, text.data(), std::min<size_t>(text.size(), 8));
  return __builtin_bswap64(word);
}

void append_number(std::string& to, const Bits& bits, u32 bytes) {
  for (u32 i = bytes; i-- > 0;) {
    to.push_back(static_cast<char>(i >= 8 ? bits.high >> 8 * (i - 8) : bits.low >> 8 * i));
  }
}

void append_escaped(std::string& to, std::string_view text) {
  for (const char byte : text) {
    to.push_back(byte);
    if (byte == 0) to.push_back(1);
  }
  to.append(2, '\0');
}

/// Removes an escaped text from the start of `from`.
std::string take_escaped(std::string_view& from) {
  std::string text;
  size_t at = 0;
  for (; at + 1 < from.size() && !(from[at] == 0 && from[at + 1] == 0); ++at) {
    text.push_back(from[at]);
    if (from[at] == 0) ++at;
  }
  from.remove_prefix(std::min(at + 2, from.size()));
  return text;
}

}  // namespace

KeyLayout::KeyLayout(std::vector<KeyField> fields) : fields_(std::move(fields)) {
  if (fields_.empty() || fields_.size() > kMaxFields) {
    throw UserError(fmt::format("a key has 1 to {} fields, not {}", kMaxFields, fields_.size()));
  }
  u32 bits = 0;
  for (const KeyField& field : fields_) {
    if (field.type.id == TypeId::kInterval || field.type.id == TypeId::kNull || field.type.is_nested()) {
      throw UserError(fmt::format("{} cannot be a key", field.type.name()));
    }
    bits += field.nullable ? 1 : 0;
    field_at_.push_back(bits);
    bits += static_cast<u32>(8 * width(field.type.physical()));
    text_ = text_ || field.type.is_string();
  }
  if (text_) {
    planes_ = 2;
    return;
  }
  word_ = bits <= 32 ? 4 : 8;
  planes_ = (bits + 63) / 64;
  simple_ = fields_.size() == 1 && bits == 8 * word_;
}

void KeyLayout::check(const Keys& keys) const {
  const std::vector<Keys::Part>& parts = keys.parts();
  if (parts.size() != fields_.size()) {
    throw UserError(fmt::format("keys of this index have {} fields, not {}", fields_.size(), parts.size()));
  }
  for (size_t i = 0; i < parts.size(); ++i) {
    const Type& type = fields_[i].type;
    const bool fits =
        parts[i].column != nullptr ? parts[i].column->type == type : parts[i].physical == type.physical();
    if (!fits)
      throw UserError(fmt::format("field {} of this index's key has the type {}", i + 1, type.name()));
    if (parts[i].column != nullptr && static_cast<size_t>(parts[i].column->rows) != keys.size()) {
      throw UserError(fmt::format("field {} has {} keys, not {}", i + 1, parts[i].column->rows, keys.size()));
    }
  }
}

Probes KeyLayout::Encoder::encode(const Keys& keys, size_t first, size_t count) {
  Probes probes;
  probes.count = count;
  if (layout_.text_) {
    encode_texts(keys, first, count);
    wide_.resize(count);
    for (size_t i = 0; i < count; ++i) wide_[i] = prefix_of(texts_[i]);
    probes.words = wide_.data();
    probes.texts = texts_.data();
    probes.stride = 8;
    return probes;
  }
  probes.stride = size_t{layout_.word_} * layout_.planes_;
  const Keys::Part& part = keys.parts()[0];
  if (layout_.simple_ && part.values != nullptr &&
      (part.physical == Physical::kUInt32 || part.physical == Physical::kUInt64)) {
    probes.words = static_cast<const char*>(part.values) + first * probes.stride;
    return probes;
  }
  encode_words(keys, first, count);
  probes.words = layout_.word_ == 4 ? static_cast<const void*>(narrow_.data()) : wide_.data();
  return probes;
}

void KeyLayout::Encoder::encode_words(const Keys& keys, size_t first, size_t count) {
  const u32 planes = layout_.planes_;
  wide_.assign(count * planes, 0);
  for (size_t f = 0; f < layout_.fields_.size(); ++f) {
    const u32 at = layout_.field_at_[f];
    const bool nullable = layout_.fields_[f].nullable;
    visit_key(keys.parts()[f].physical, [&](auto zero) {
      using T = decltype(zero);
      if constexpr (!std::is_same_v<T, std::string_view>) {
        for_each_value<T>(keys.parts()[f], first, count, [&](size_t i, const T* value) {
          u64* words = wide_.data() + i * planes;
          if (value == nullptr) {
            if (!nullable) refuse_null(first + i);
            put(words, at - 1, 1, 1);
            return;
          }
          const Bits bits = to_bits(*value);
          if constexpr (sizeof(T) == 16) put(words, at, 64, bits.high);
          put(words, at + (sizeof(T) == 16 ? 64 : 0), 8 * std::min<u32>(sizeof(T), 8), bits.low);
        });
      }
    });
  }
  if (layout_.word_ == 8) return;
  narrow_.resize(count);
  for (size_t i = 0; i < count; ++i) narrow_[i] = static_cast<u32>(wide_[i] >> 32);
}

void KeyLayout::Encoder::encode_texts(const Keys& keys, size_t first, size_t count) {
  texts_.resize(count);
  if (layout_.fields_.size() == 1 && !layout_.fields_[0].nullable) {
    for_each_value<std::string_view>(keys.parts()[0], first, count,
                                     [&](size_t i, const std::string_view* text) {
                                       if (text == nullptr) refuse_null(first + i);
                                       texts_[i] = *text;
                                     });
    return;
  }
  bytes_.clear();
  std::vector<size_t> ends(count);
  for (size_t row = 0; row < count; ++row) {
    for (size_t f = 0; f < layout_.fields_.size(); ++f) {
      visit_key(keys.parts()[f].physical, [&](auto zero) {
        using T = decltype(zero);
        for_each_value<T>(keys.parts()[f], first + row, 1, [&](size_t, const T* value) {
          if (value == nullptr && !layout_.fields_[f].nullable) refuse_null(first + row);
          if (layout_.fields_[f].nullable) bytes_.push_back(value == nullptr ? 1 : 0);
          if (value == nullptr) return;
          if constexpr (!std::is_same_v<T, std::string_view>) {
            append_number(bytes_, to_bits(*value), sizeof(T));
          } else if (f + 1 == layout_.fields_.size()) {
            bytes_ += *value;
          } else {
            append_escaped(bytes_, *value);
          }
        });
      });
    }
    ends[row] = bytes_.size();
  }
  for (size_t row = 0, begin = 0; row < count; begin = ends[row++]) {
    texts_[row] = std::string_view(bytes_).substr(begin, ends[row] - begin);
  }
}

void KeyLayout::decode(const Probe& key, std::vector<ColumnBuilder>& to) const {
  std::string_view rest = key.text;
  const u64 narrow = text_ || word_ == 8 ? 0 : u64{*static_cast<const u32*>(key.words)} << 32;
  const u64* words = word_ == 4 ? &narrow : static_cast<const u64*>(key.words);
  for (size_t f = 0; f < fields_.size(); ++f) {
    visit_key(fields_[f].type.physical(), [&](auto zero) {
      using T = decltype(zero);
      bool null = false;
      if (fields_[f].nullable) {
        null = text_ ? !rest.empty() && rest[0] == 1 : get(words, field_at_[f] - 1, 1) != 0;
        if (text_) rest.remove_prefix(std::min<size_t>(rest.size(), 1));
      }
      if (null) {
        to[f].append_null();
      } else if constexpr (std::is_same_v<T, std::string_view>) {
        if (f + 1 == fields_.size()) {
          to[f].append_text(rest);
        } else {
          to[f].append_text(take_escaped(rest));
        }
      } else {
        Bits bits;
        if (text_) {
          for (size_t i = 0; i < sizeof(T) && !rest.empty(); ++i, rest.remove_prefix(1)) {
            bits.high = bits.high << 8 | bits.low >> 56;
            bits.low = bits.low << 8 | static_cast<uint8_t>(rest[0]);
          }
        } else {
          if constexpr (sizeof(T) == 16) bits.high = get(words, field_at_[f], 64);
          bits.low = get(words, field_at_[f] + (sizeof(T) == 16 ? 64 : 0), 8 * std::min<u32>(sizeof(T), 8));
        }
        to[f].append_physical(from_bits<T>(bits));
      }
    });
  }
}

bool KeyLayout::decode_plane(const void* words, size_t count, BufferBuilder<uint8_t>& to) const {
  if (!simple_) return false;
  const size_t before = to.size();
  to.resize(before + count * word_);
  visit_key(fields_[0].type.physical(), [&](auto zero) {
    using T = decltype(zero);
    if constexpr (sizeof(T) == 4 || sizeof(T) == 8) {
      using Word = std::conditional_t<sizeof(T) == 4, u32, u64>;
      const Word* from = static_cast<const Word*>(words);
      uint8_t* out = to.data() + before;
      if constexpr (std::is_unsigned_v<T>) {
        std::memcpy(out, from, count * sizeof(T));
        return;
      }
      for (size_t i = 0; i < count; ++i) {
        const T value = from_bits<T>({0, from[i]});
        std::memcpy(out + i * sizeof(T), &value, sizeof(T));
      }
    }
  });
  return true;
}

}  // namespace lanewise::index
