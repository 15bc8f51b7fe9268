#include "sql/values/vectors.h"

#include "base/bits.h"
#include "data/visit_width.h"
#include "sql/values/nested.h"
#include "sql/values/types.h"
#include "sql/values/unaligned.h"

namespace lanewise::sql {

namespace {

/// to[i] is value i of the rows; for a dictionary, the value of its entry, and none for NULL.
template <class From, class To>
void copy_to_duckdb(const Column& column, int64_t first, int64_t rows, duckdb::data_ptr_t to) {
  const auto put = [&](int64_t i, From value) { store(to + i * sizeof(To), static_cast<To>(value)); };
  if (column.dictionary) {
    const uint32_t* codes = column.values.as<uint32_t>() + first;
    const From* entries = column.dictionary->values.as<From>();
    for (int64_t i = 0; i < rows; ++i) {
      if (!column.is_null(first + i)) put(i, entries[codes[i]]);
    }
  } else {
    const From* from = column.values.as<From>() + first;
    for (int64_t i = 0; i < rows; ++i) put(i, from[i]);
  }
}

}  // namespace

void expose(const Column& column, int64_t first, int64_t rows, duckdb::Vector& vector) {
  using duckdb::PhysicalType;
  const PhysicalType physical = vector.GetType().InternalType();
  if (column.type.is_nested()) return expose_nested(column, first, rows, vector);
  if (column.type.is_string()) {
    auto* to = duckdb::FlatVector::GetData<duckdb::string_t>(vector);
    for (int64_t i = 0; i < rows; ++i) {
      const std::string_view text = column.is_null(first + i) ? std::string_view() : column.text(first + i);
      to[i] = duckdb::string_t(text.data(), static_cast<uint32_t>(text.size()));
    }
  } else if (column.type.id == TypeId::kNull) {
    duckdb::FlatVector::Validity(vector).SetAllInvalid(static_cast<duckdb::idx_t>(rows));
    return;
  } else if (column.type.id == TypeId::kDecimal && physical == PhysicalType::INT16) {
    copy_to_duckdb<int64_t, int16_t>(column, first, rows, duckdb::FlatVector::GetData(vector));
  } else if (column.type.id == TypeId::kDecimal && physical == PhysicalType::INT32) {
    copy_to_duckdb<int64_t, int32_t>(column, first, rows, duckdb::FlatVector::GetData(vector));
  } else {
    visit_width(width(column.type.physical()), [&](auto zero) {
      using T = decltype(zero);
      copy_to_duckdb<T, T>(column, first, rows, duckdb::FlatVector::GetData(vector));
    });
  }
  if (!column.validity) return;
  auto& mask = duckdb::FlatVector::Validity(vector);
  mask.Initialize(STANDARD_VECTOR_SIZE);
  bits::copy(column.validity.as<uint64_t>(), static_cast<size_t>(first), static_cast<size_t>(rows),
             reinterpret_cast<uint64_t*>(mask.GetData()));
}

duckdb::Vector exposed(const Column& column, int64_t first, int64_t rows, const duckdb::LogicalType& type,
                       duckdb::ClientContext& context) {
  const auto count = static_cast<duckdb::idx_t>(rows);
  const bool is_text = is_held_as_text(type);
  duckdb::Vector vector(is_text ? duckdb::LogicalType::VARCHAR : type, count);
  expose(column, first, rows, vector);
  if (!is_text) return vector;
  duckdb::Vector values(type, count);
  duckdb::VectorOperations::Cast(context, vector, values, count);
  return values;
}

duckdb::Value value_at(const Column& column, int64_t row) {
  duckdb::Vector vector(to_duckdb(column.type), 1);
  expose(column, row, 1, vector);
  return vector.GetValue(0);
}

}  // namespace lanewise::sql
