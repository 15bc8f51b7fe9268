#include "expr/vectors/vectors.h"

#include <algorithm>
#include <cstring>

#include "data/visit_width.h"

namespace lanewise::expr {

namespace {

template <class F>
Vector each_row(Type type, const ActiveSet& rows, F value) {
  using T = decltype(value(uint32_t{}));
  T* values;
  Vector result = new_vector<T>(type, rows.rows(), rows.arena(), values);
  rows.for_each([&](uint32_t row) { values[row] = value(row); });
  return result;
}

uint64_t* zeros(uint32_t rows, Arena& arena) {
  auto* words = arena.allocate<uint64_t>(bits::words(rows) + 1);
  std::fill_n(words, bits::words(rows) + 1, 0);
  return words;
}

}  // namespace

Vector null_vector(Type type, Arena& arena) { return constant(Value(type), arena); }

uint64_t* all_ones(uint32_t rows, Arena& arena) {
  auto* words = arena.allocate<uint64_t>(bits::words(rows) + 1);
  bits::fill(words, rows);
  return words;
}

const uint64_t* both(const uint64_t* a, const uint64_t* b, uint32_t rows, Arena& arena) {
  if (a == nullptr || b == nullptr) return a == nullptr ? b : a;
  auto* words = arena.allocate<uint64_t>(bits::words(rows) + 1);
  for (size_t word = 0; word < bits::words(rows); ++word) words[word] = a[word] & b[word];
  return words;
}

Vector flatten(const Vector& vector, const ActiveSet& rows) {
  if (!vector.constant && (vector.form != Vector::Form::kDictionary || vector.type.is_string()))
    return vector;
  Vector result;
  if (vector.type.is_string()) {
    const std::string_view text = vector.is_null(0) ? std::string_view() : vector.text(0);
    result = each_row(vector.type, rows, [&](uint32_t) { return text; });
  } else {
    visit_width(width(vector.type.physical()), [&](auto zero) {
      using T = decltype(zero);
      if (vector.constant) {
        const T value = *vector.as<T>();
        result = each_row(vector.type, rows, [&](uint32_t) { return value; });
      } else {
        const T* entries = vector.dictionary->values.as<T>();
        const auto* codes = vector.as<uint32_t>();
        result = each_row(vector.type, rows,
                          [&](uint32_t row) { return vector.is_null(row) ? T{} : entries[codes[row]]; });
      }
    });
  }
  if (!vector.constant) {
    result.validity = vector.validity;
  } else if (vector.is_null(0)) {
    result.validity = zeros(rows.rows(), rows.arena());
  }
  return result;
}

Vector gather(const Vector& entries, const uint32_t* codes, const ActiveSet& rows) {
  if (entries.constant) return entries;
  Vector result;
  if (entries.type.is_string()) {
    result = each_row(entries.type, rows, [&](uint32_t row) {
      return entries.is_null(codes[row]) ? std::string_view() : entries.text(codes[row]);
    });
  } else {
    visit_width(width(entries.type.physical()), [&](auto zero) {
      const auto* from = entries.as<decltype(zero)>();
      result = each_row(entries.type, rows, [&](uint32_t row) { return from[codes[row]]; });
    });
  }
  if (entries.validity != nullptr) {
    uint64_t* validity = zeros(rows.rows(), rows.arena());
    rows.for_each([&](uint32_t row) {
      if (bits::test(entries.validity, codes[row])) bits::set(validity, row);
    });
    result.validity = validity;
  }
  return result;
}

void Merger::copy_values(const Vector& part, const ActiveSet& rows) {
  if (part.type.is_string()) {
    if (values_ == nullptr) values_ = rows_.arena().allocate<std::string_view>(rows_.rows());
    auto* to = static_cast<std::string_view*>(values_);
    rows.for_each([&](uint32_t row) {
      if (!part.is_null(row)) to[row] = part.text(row);
    });
    return;
  }
  const Vector plain = part.constant ? part : flatten(part, rows);
  visit_width(width(type_.physical()), [&](auto zero) {
    using T = decltype(zero);
    if (values_ == nullptr) values_ = rows_.arena().allocate<T>(rows_.rows());
    auto* to = static_cast<T*>(values_);
    const T* from = plain.as<T>();
    if (plain.constant) {
      rows.for_each([&](uint32_t row) { to[row] = *from; });
    } else {
      rows.for_each([&](uint32_t row) { to[row] = from[row]; });
    }
  });
}

void Merger::put(const Vector& part, const ActiveSet& rows) {
  if (rows.none()) return;
  covered_ += rows.count();
  if (rows.count() == rows_.count()) {
    only_ = part;
    return;
  }
  if (validity_ == nullptr) validity_ = zeros(rows_.rows(), rows_.arena());
  if (part.constant && part.is_null(0)) return;
  copy_values(part, rows);
  const uint64_t* active = rows.bitmap();
  for (size_t word = 0; word < bits::words(rows_.rows()); ++word) {
    validity_[word] |=
        part.validity == nullptr || part.constant ? active[word] : active[word] & part.validity[word];
  }
}

Vector Merger::finish() {
  if (only_.values != nullptr) return only_;
  if (values_ == nullptr) return null_vector(type_, rows_.arena());
  Vector result;
  result.type = type_;
  result.values = values_;
  result.validity = validity_;
  return result;
}

void pack(const uint8_t* bytes, uint32_t rows, uint64_t* bitmap) {
  for (size_t word = 0; word < bits::words(rows); ++word) {
    uint64_t bits = 0;
    for (int byte = 0; byte < 8; ++byte) {
      uint64_t eight;
      std::memcpy(&eight, bytes + word * 64 + byte * 8, 8);
      bits |= (eight & 0x0101010101010101) * 0x0102040810204080 >> 56 << (byte * 8);
    }
    bitmap[word] = bits;
  }
  if (rows % 64 != 0) bitmap[rows / 64] &= bits::low_mask(rows % 64);
}

void unpack(const uint64_t* bitmap, uint32_t rows, uint8_t* bytes) {
  for (uint32_t row = 0; row < rows; row += 8) {
    // Each byte keeps its own bit of the eight, and becomes 1 where that is set.
    const uint64_t spread = (bitmap[row / 64] >> (row % 64) & 0xff) * 0x0101010101010101 & 0x8040201008040201;
    const uint64_t eight = (spread + 0x7f7f7f7f7f7f7f7f) >> 7 & 0x0101010101010101;
    std::memcpy(bytes + row, &eight, std::min<uint32_t>(8, rows - row));
  }
}

Truth truth_of(const Vector& condition, const ActiveSet& rows) {
  Truth truth;
  Arena& arena = rows.arena();
  const size_t words = bits::words(rows.rows());
  if (condition.constant) {
    const bool null = condition.is_null(0);
    const uint64_t* nowhere = zeros(rows.rows(), arena);
    if (null) truth.unknown = rows.bitmap();
    truth.yes = !null && *condition.as<uint8_t>() != 0 ? rows.bitmap() : nowhere;
    return truth;
  }
  const Vector flat = flatten(condition, rows);
  auto* yes = arena.allocate<uint64_t>(words + 1);
  pack(flat.as<uint8_t>(), rows.rows(), yes);
  const uint64_t* active = rows.bitmap();
  if (flat.validity == nullptr) {
    for (size_t word = 0; word < words; ++word) yes[word] &= active[word];
  } else {
    auto* unknown = arena.allocate<uint64_t>(words + 1);
    for (size_t word = 0; word < words; ++word) {
      yes[word] &= active[word] & flat.validity[word];
      unknown[word] = active[word] & ~flat.validity[word];
    }
    truth.unknown = unknown;
  }
  truth.yes = yes;
  return truth;
}

Vector vector_of(const Truth& truth, const ActiveSet& rows) {
  uint8_t* bytes;
  Vector result = new_vector<uint8_t>(TypeId::kBool, rows.rows(), rows.arena(), bytes);
  unpack(truth.yes, rows.rows(), bytes);
  if (truth.unknown != nullptr) {
    auto* validity = rows.arena().allocate<uint64_t>(bits::words(rows.rows()) + 1);
    bits::fill(validity, rows.rows());
    for (size_t word = 0; word < bits::words(rows.rows()); ++word) validity[word] &= ~truth.unknown[word];
    result.validity = validity;
  }
  return result;
}

}  // namespace lanewise::expr
