#include "ops/take.h"

#include <algorithm>

#include "data/visit_width.h"

namespace lanewise::ops {

namespace {

template <class IsNull>
const uint64_t* validity(const ActiveSet& active, IsNull is_null) {
  const size_t words = bits::words(active.rows());
  auto* valid = active.arena().allocate<uint64_t>(words);
  std::fill_n(valid, words, 0);
  active.for_each([&](uint32_t i) { valid[i / 64] |= static_cast<uint64_t>(!is_null(i)) << i % 64; });
  return valid;
}

/// values[i] = get(i) for the active i.
template <class T, class Get>
const T* fill(const ActiveSet& active, Get get) {
  auto* values = active.arena().allocate<T>(active.rows());
  active.for_each([&](uint32_t i) { values[i] = get(i); });
  return values;
}

}  // namespace

Vector take(const Column& column, const uint32_t* rows, const ActiveSet& active) {
  Vector result;
  result.type = column.type;
  bool any_null = column.nulls != 0;
  if (!any_null) active.for_each([&](uint32_t i) { any_null |= rows[i] == kNoRow; });
  if (any_null)
    result.validity =
        validity(active, [&](uint32_t i) { return rows[i] == kNoRow || column.is_null(rows[i]); });
  if (column.dictionary != nullptr) {
    const auto* codes = column.values.as<uint32_t>();
    result.form = Vector::Form::kDictionary;
    result.dictionary = column.dictionary.get();
    result.values =
        fill<uint32_t>(active, [&](uint32_t i) { return rows[i] == kNoRow ? 0 : codes[rows[i]]; });
  } else if (column.type.is_string()) {
    result.values = fill<std::string_view>(
        active, [&](uint32_t i) { return rows[i] == kNoRow ? std::string_view() : column.text(rows[i]); });
  } else {
    visit_width(width(column.type.physical()), [&](auto zero) {
      using T = decltype(zero);
      const T* from = column.values.as<T>();
      result.values =
          any_null ? fill<T>(active, [&](uint32_t i) { return rows[i] == kNoRow ? T{} : from[rows[i]]; })
                   : fill<T>(active, [&](uint32_t i) { return from[rows[i]]; });
    });
  }
  return result;
}

Vector take(const Vector& vector, const uint32_t* rows, const ActiveSet& active) {
  if (vector.constant) return vector;
  Vector result;
  result.type = vector.type;
  if (vector.validity != nullptr)
    result.validity = validity(active, [&](uint32_t i) { return vector.is_null(rows[i]); });
  if (vector.form == Vector::Form::kDictionary) {
    result.form = vector.form;
    result.dictionary = vector.dictionary;
    result.values = fill<uint32_t>(active, [&](uint32_t i) { return vector.as<uint32_t>()[rows[i]]; });
  } else if (vector.type.is_string()) {
    result.values = fill<std::string_view>(active, [&](uint32_t i) {
      return vector.is_null(rows[i]) ? std::string_view() : vector.text(rows[i]);
    });
  } else {
    visit_width(width(vector.type.physical()), [&](auto zero) {
      using T = decltype(zero);
      result.values = fill<T>(active, [&](uint32_t i) { return vector.as<T>()[rows[i]]; });
    });
  }
  return result;
}

}  // namespace lanewise::ops
