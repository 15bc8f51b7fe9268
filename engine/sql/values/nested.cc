#include "sql/values/nested.h"

#include <vector>

#include "base/error.h"
#include "data/packed.h"
#include "data/physical_value.h"
#include "sql/duckdb/duckdb_headers.h"
#include "sql/values/types.h"
#include "sql/values/unaligned.h"

namespace lanewise::sql {

namespace {

using duckdb::idx_t;
using duckdb::PhysicalType;
using Format = duckdb::RecursiveUnifiedVectorFormat;

void pack(const Format& from, Type type, idx_t row, packed::Writer& to);

/// The elements or fields of a value that is not NULL; `index` is the row's index in its own data.
void pack_members(const Format& from, Type type, idx_t index, packed::Writer& to) {
  if (type.id == TypeId::kStruct) {
    for (size_t i = 0; i < type.members().size(); ++i)
      pack(from.children[i], type.members()[i].type, index, to);
  } else if (type.id == TypeId::kArray) {
    const uint32_t size = type.nested->size;
    for (uint32_t i = 0; i < size; ++i) pack(from.children[0], type.element(), index * size + i, to);
  } else {
    const auto& list = duckdb::UnifiedVectorFormat::GetData<duckdb::list_entry_t>(from.unified)[index];
    for (idx_t i = 0; i < list.length; ++i) pack(from.children[0], type.element(), list.offset + i, to);
    to.end();
  }
}

template <class From, class To>
void pack_number(const Format& from, idx_t index, packed::Writer& to) {
  to.number(static_cast<To>(duckdb::UnifiedVectorFormat::GetData<From>(from.unified)[index]));
}

/// A value that is stored as text.
std::string text_of(const Format& from, idx_t index) {
  using duckdb::UnifiedVectorFormat;
  switch (from.logical_type.id()) {
    case duckdb::LogicalTypeId::TIME_TZ:
      return duckdb::Value::TIMETZ(UnifiedVectorFormat::GetData<duckdb::dtime_tz_t>(from.unified)[index])
          .ToString();
    case duckdb::LogicalTypeId::ENUM: {
      const idx_t code = from.logical_type.InternalType() == PhysicalType::UINT8 ? from.unified.data[index]
                         : from.logical_type.InternalType() == PhysicalType::UINT16
                             ? UnifiedVectorFormat::GetData<uint16_t>(from.unified)[index]
                             : UnifiedVectorFormat::GetData<uint32_t>(from.unified)[index];
      return duckdb::EnumType::GetString(from.logical_type, code).GetString();
    }
    default:
      break;
  }
  const auto& bytes = UnifiedVectorFormat::GetData<duckdb::string_t>(from.unified)[index];
  const auto* data = reinterpret_cast<duckdb::const_data_ptr_t>(bytes.GetData());
  return (from.logical_type.id() == duckdb::LogicalTypeId::BIT ? duckdb::Value::BIT(data, bytes.GetSize())
                                                               : duckdb::Value::BIGNUM(data, bytes.GetSize()))
      .ToString();
}

void pack_scalar(const Format& from, Type type, idx_t index, packed::Writer& to) {
  using duckdb::UnifiedVectorFormat;
  if (is_held_as_text(from.logical_type)) return to.text(text_of(from, index));
  const PhysicalType physical = from.logical_type.InternalType();
  if (type.id == TypeId::kDecimal && physical == PhysicalType::INT16)
    return pack_number<int16_t, int64_t>(from, index, to);
  if (type.id == TypeId::kDecimal && physical == PhysicalType::INT32)
    return pack_number<int32_t, int64_t>(from, index, to);
  visit(type.physical(), [&](auto zero) {
    using T = decltype(zero);
    if constexpr (std::is_same_v<T, std::string_view>) {
      const auto& text = UnifiedVectorFormat::GetData<duckdb::string_t>(from.unified)[index];
      to.text({text.GetData(), text.GetSize()});
    } else {  // of the same layout
      to.number(load<T>(from.unified.data + index * sizeof(T)));
    }
  });
}

/// The slot of value `row`.
void pack(const Format& from, Type type, idx_t row, packed::Writer& to) {
  const idx_t index = from.unified.sel->get_index(row);
  if (type.id == TypeId::kNull || !from.unified.validity.RowIsValid(index)) return to.null(type);
  if (!type.is_nested()) return pack_scalar(from, type, index, to);
  to.mark(packed::Mark::kValue);
  pack_members(from, type, index, to);
}

void set_null(duckdb::Vector& out, idx_t row) {
  duckdb::FlatVector::SetNull(out, row, true);
  if (out.GetType().InternalType() == PhysicalType::LIST)
    duckdb::FlatVector::GetData<duckdb::list_entry_t>(out)[row] = {0, 0};
}

void unpack(Type type, packed::Reader& reader, duckdb::Vector& out, idx_t row);

/// What follows `mark`, as value `row` of a flat vector with room for it.
void unpack_slot(Type type, packed::Mark mark, packed::Reader& reader, duckdb::Vector& out, idx_t row) {
  using duckdb::FlatVector;
  const PhysicalType physical = out.GetType().InternalType();
  if (mark == packed::Mark::kNull) {
    reader.null(type);
    return set_null(out, row);
  }
  if (type.is_nested()) {
    packed::Reader inner(reader.nested(type));
    return unpack(type, inner, out, row);
  }
  if (type.is_string()) {
    std::string scratch;
    const std::string_view text = reader.text(scratch);
    if (is_held_as_text(out.GetType()))
      return out.SetValue(row, duckdb::Value(std::string(text)).DefaultCastAs(out.GetType()));
    FlatVector::GetData<duckdb::string_t>(out)[row] =
        duckdb::StringVector::AddStringOrBlob(out, text.data(), text.size());
  } else if (type.id == TypeId::kDecimal && physical == PhysicalType::INT16) {
    FlatVector::GetData<int16_t>(out)[row] = static_cast<int16_t>(reader.number<int64_t>());
  } else if (type.id == TypeId::kDecimal && physical == PhysicalType::INT32) {
    FlatVector::GetData<int32_t>(out)[row] = static_cast<int32_t>(reader.number<int64_t>());
  } else {
    visit(type.physical(), [&](auto zero) {
      using T = decltype(zero);
      if constexpr (!std::is_same_v<T, std::string_view>)
        store(FlatVector::GetData(out) + row * sizeof(T), reader.number<T>());  // of the same layout
    });
  }
}

/// The elements or fields of a value that is not NULL.
void unpack(Type type, packed::Reader& reader, duckdb::Vector& out, idx_t row) {
  if (type.id == TypeId::kStruct) {
    auto& fields = duckdb::StructVector::GetEntries(out);
    for (size_t i = 0; i < fields.size(); ++i)
      unpack_slot(type.members()[i].type, reader.next(), reader, *fields[i], row);
  } else if (type.id == TypeId::kArray) {
    const idx_t size = type.nested->size;
    for (idx_t i = 0; i < size; ++i)
      unpack_slot(type.element(), reader.next(), reader, duckdb::ArrayVector::GetEntry(out), row * size + i);
  } else {
    const idx_t offset = duckdb::ListVector::GetListSize(out);
    idx_t end = offset;
    for (packed::Mark mark = reader.next(); mark != packed::Mark::kEnd; mark = reader.next(), ++end) {
      duckdb::ListVector::Reserve(out, end + 1);
      unpack_slot(type.element(), mark, reader, duckdb::ListVector::GetEntry(out), end);
      duckdb::ListVector::SetListSize(out, end + 1);
    }
    duckdb::FlatVector::GetData<duckdb::list_entry_t>(out)[row] = {offset, end - offset};
  }
}

}  // namespace

duckdb::Vector packed_vector(duckdb::Vector& nested, Type type, int64_t rows) {
  const auto count = static_cast<idx_t>(rows);
  nested.Flatten(count);
  Format from;
  duckdb::Vector::RecursiveToUnifiedFormat(nested, count, from);
  duckdb::Vector result(duckdb::LogicalType::BLOB, count);
  auto* texts = duckdb::FlatVector::GetData<duckdb::string_t>(result);
  std::string bytes;
  packed::Writer writer(bytes);
  for (idx_t row = 0; row < count; ++row) {
    const idx_t index = from.unified.sel->get_index(row);
    if (!from.unified.validity.RowIsValid(index)) {
      duckdb::FlatVector::SetNull(result, row, true);
      continue;
    }
    bytes.clear();
    pack_members(from, type, index, writer);
    texts[row] = duckdb::StringVector::AddStringOrBlob(result, bytes.data(), bytes.size());
  }
  return result;
}

void expose_nested(const Column& column, int64_t first, int64_t rows, duckdb::Vector& out) {
  for (int64_t i = 0; i < rows; ++i) {
    const auto row = static_cast<idx_t>(i);
    if (column.is_null(first + i)) {
      set_null(out, row);
      continue;
    }
    packed::Reader reader(column.text(first + i));
    unpack(column.type, reader, out, row);
  }
}

Value packed_value(const duckdb::Value& value, Type type) {
  if (value.IsNull()) return Value(type);
  duckdb::Vector vector(value);
  const duckdb::Vector bytes = packed_vector(vector, type, 1);
  const auto& text = duckdb::FlatVector::GetData<duckdb::string_t>(bytes)[0];
  return {type, text.GetString()};
}

}  // namespace lanewise::sql
