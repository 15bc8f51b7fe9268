#include "data/vector.h"

#include "base/error.h"
#include "data/physical_value.h"

namespace lanewise {

Vector slice(const Column& column, int64_t first, uint32_t rows, Arena& arena) {
  Vector vector;
  vector.type = column.type;
  const auto start = static_cast<size_t>(first);
  if (column.nulls != 0) {
    if (start % 64 == 0) {
      vector.validity = column.validity.as<uint64_t>() + start / 64;
    } else {
      auto* validity = arena.allocate<uint64_t>(bits::words(rows) + 1);
      bits::copy(column.validity.as<uint64_t>(), start, rows, validity);
      vector.validity = validity;
    }
  }
  if (column.dictionary) {
    vector.form = Vector::Form::kDictionary;
    vector.values = column.values.as<uint32_t>() + start;
    vector.dictionary = column.dictionary.get();
  } else if (column.type.is_string()) {
    vector.form = Vector::Form::kText;
    vector.wide_offsets = column.wide_offsets;
    vector.bytes = column.values.data();
    vector.values = column.offsets.data() + start * (column.wide_offsets ? 8 : 4);
  } else {
    vector.values = column.values.data() + start * width(column.type.physical());
  }
  return vector;
}

Vector constant(const Value& value, Arena& arena) {
  Vector vector;
  vector.type = value.type();
  vector.constant = true;
  if (value.is_null()) {
    auto* validity = arena.allocate<uint64_t>(1);
    *validity = 0;
    vector.validity = validity;
  }
  visit(value.type().physical(), [&](auto zero) {
    using T = decltype(zero);
    auto* held = arena.allocate<T>(1);
    *held = T{};
    if (!value.is_null()) {
      *held = from_value<T>(value);
      if constexpr (std::is_same_v<T, std::string_view>) *held = arena.copy(*held);
    }
    vector.values = held;
  });
  return vector;
}

Value value_at(const Vector& vector, uint32_t row) {
  if (vector.is_null(row)) return Value(vector.type);
  if (vector.type.is_string()) return to_value(vector.type, vector.text(row));
  if (vector.constant) row = 0;
  if (vector.form == Vector::Form::kDictionary) return vector.dictionary->value(vector.as<uint32_t>()[row]);
  return visit(vector.type.physical(),
               [&](auto zero) { return to_value(vector.type, vector.as<decltype(zero)>()[row]); });
}

}  // namespace lanewise
