#include "primitives/groups/key_words.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <type_traits>

#include "data/interval.h"
#include "data/packed.h"

namespace lanewise {

namespace {

template <class T>
void put(const T& value, uint64_t* to) {
  if constexpr (std::is_same_v<T, float>) {
    *to = std::bit_cast<uint32_t>(std::isnan(value) ? std::nanf("") : value == 0 ? 0.0f : value);
  } else if constexpr (std::is_same_v<T, double>) {
    *to = std::bit_cast<uint64_t>(std::isnan(value) ? std::nan("") : value == 0 ? 0.0 : value);
  } else if constexpr (std::is_same_v<T, Interval>) {
    const NormalInterval normal = normalise(value);
    to[0] = static_cast<uint64_t>(normal.months) << 8 | static_cast<uint8_t>(normal.days);
    to[1] = static_cast<uint64_t>(normal.micros);
  } else if constexpr (sizeof(T) == 16) {
    to[0] = static_cast<uint64_t>(value);
    to[1] = static_cast<uint64_t>(static_cast<uint128_t>(value) >> 64);
  } else if constexpr (std::is_integral_v<T>) {
    *to = static_cast<uint64_t>(static_cast<int64_t>(value));
  }
}

/// Calls f(row) for the active rows, or for all if most are active: the others' values are readable.
template <class F>
void for_rows(const ActiveSet& rows, F f) {
  if (rows.form() == ActiveSet::Form::kList) {
    for (const uint32_t row : rows.list()) f(row);
  } else {
    for (uint32_t row = 0; row < rows.rows(); ++row) f(row);
  }
}

template <class T>
const uint64_t* convert(const Vector& vector, const ActiveSet& rows) {
  constexpr int kWidth = sizeof(T) > 8 ? 2 : 1;
  if constexpr (std::is_same_v<T, int64_t> || std::is_same_v<T, uint64_t>) {
    if (!vector.constant && vector.dictionary == nullptr) return vector.as<uint64_t>();
  }
  auto* words = rows.arena().allocate<uint64_t>(size_t{rows.rows()} * kWidth);
  const T* values = vector.as<T>();
  if (vector.constant) {
    uint64_t word[2];
    put(*values, word);
    for_rows(rows, [&](uint32_t row) { std::copy_n(word, kWidth, words + size_t{row} * kWidth); });
  } else if (vector.form == Vector::Form::kDictionary) {
    const uint32_t* codes = vector.as<uint32_t>();
    const T* entries = vector.dictionary->values.as<T>();
    rows.for_each([&](uint32_t row) {  // the code of a NULL may be outside of the dictionary
      if (!vector.is_null(row)) put(entries[codes[row]], words + size_t{row} * kWidth);
    });
  } else {
    for_rows(rows, [&](uint32_t row) { put(values[row], words + size_t{row} * kWidth); });
  }
  return words;
}

}  // namespace

int key_width(Type type) {
  if (type.is_string()) return 0;
  return width(type.physical()) > 8 ? 2 : 1;
}

bool key_is_lossy(Type type) { return packed::has_equal_forms(type); }

KeyWords key_words(const Vector& vector, const ActiveSet& rows) {
  KeyWords key;
  key.width = key_width(vector.type);
  key.integer = key.width == 1 && !vector.type.is_float();
  key.validity = vector.validity;
  if (vector.constant && vector.validity != nullptr) {
    if (vector.is_null(0)) {
      auto* none = rows.arena().allocate<uint64_t>(bits::words(rows.rows()));
      std::fill_n(none, bits::words(rows.rows()), 0);
      key.validity = none;
    } else {
      key.validity = nullptr;
    }
  }
  if (key.width == 0) {
    key.text = &vector;
  } else {
    key.words = visit(vector.type.physical(), [&](auto zero) -> const uint64_t* {
      using T = decltype(zero);
      if constexpr (std::is_same_v<T, std::string_view>) {
        return nullptr;
      } else {
        return convert<T>(vector, rows);
      }
    });
  }
  return key;
}

}  // namespace lanewise
