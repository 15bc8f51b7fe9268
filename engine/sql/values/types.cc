#include "sql/values/types.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <span>

#include "data/column.h"
#include "data/union_type.h"
#include "sql/duckdb/duckdb_headers.h"
#include "sql/duckdb/errors.h"
#include "sql/values/nested.h"

namespace lanewise {

struct SqlType {
  duckdb::LogicalType type;
};

}  // namespace lanewise

namespace lanewise::sql {

using duckdb::LogicalTypeId;

namespace {

struct TypePair {
  LogicalTypeId duckdb;
  Type ours;
};

/// The types that correspond one to one; decimals and nested types have components to convert.
constexpr TypePair kTypePairs[] = {
    {LogicalTypeId::SQLNULL, TypeId::kNull},
    {LogicalTypeId::BOOLEAN, TypeId::kBool},
    {LogicalTypeId::TINYINT, TypeId::kInt8},
    {LogicalTypeId::SMALLINT, TypeId::kInt16},
    {LogicalTypeId::INTEGER, TypeId::kInt32},
    {LogicalTypeId::BIGINT, TypeId::kInt64},
    {LogicalTypeId::HUGEINT, TypeId::kInt128},
    {LogicalTypeId::UTINYINT, TypeId::kUInt8},
    {LogicalTypeId::USMALLINT, TypeId::kUInt16},
    {LogicalTypeId::UINTEGER, TypeId::kUInt32},
    {LogicalTypeId::UBIGINT, TypeId::kUInt64},
    {LogicalTypeId::UHUGEINT, TypeId::kUInt128},
    {LogicalTypeId::FLOAT, TypeId::kFloat32},
    {LogicalTypeId::DOUBLE, TypeId::kFloat64},
    {LogicalTypeId::DATE, TypeId::kDate},
    {LogicalTypeId::TIME, TypeId::kTime},
    {LogicalTypeId::TIME_NS, TypeId::kTimeNs},
    {LogicalTypeId::TIMESTAMP_SEC, Type::timestamp(TimeUnit::kSecond)},
    {LogicalTypeId::TIMESTAMP_MS, Type::timestamp(TimeUnit::kMilli)},
    {LogicalTypeId::TIMESTAMP, Type::timestamp(TimeUnit::kMicro)},
    {LogicalTypeId::TIMESTAMP_NS, Type::timestamp(TimeUnit::kNano)},
    {LogicalTypeId::TIMESTAMP_TZ, TypeId::kTimestampTz},
    {LogicalTypeId::INTERVAL, TypeId::kInterval},
    {LogicalTypeId::VARCHAR, TypeId::kVarchar},
    {LogicalTypeId::BLOB, TypeId::kBlob},
    {LogicalTypeId::UUID, TypeId::kUuid},
};

std::optional<std::vector<Member>> find_members(const duckdb::child_list_t<duckdb::LogicalType>& types) {
  std::vector<Member> members;
  for (const auto& [name, type] : types) {
    const auto known = find_type(type);
    if (!known) return std::nullopt;
    members.push_back({name, *known});
  }
  return members;
}

std::optional<Type> find_nested(const duckdb::LogicalType& type) {
  switch (type.id()) {
    case LogicalTypeId::LIST:
      if (const auto element = find_type(duckdb::ListType::GetChildType(type))) return Type::list(*element);
      return std::nullopt;
    case LogicalTypeId::ARRAY: {
      const auto element = find_type(duckdb::ArrayType::GetChildType(type));
      if (!element || duckdb::ArrayType::IsAnySize(type)) return std::nullopt;
      return Type::array(*element, static_cast<uint32_t>(duckdb::ArrayType::GetSize(type)));
    }
    case LogicalTypeId::MAP: {
      const auto key = find_type(duckdb::MapType::KeyType(type));
      const auto value = find_type(duckdb::MapType::ValueType(type));
      return key && value ? std::optional(Type::map(*key, *value)) : std::nullopt;
    }
    case LogicalTypeId::UNION: {
      auto members = find_members(duckdb::UnionType::CopyMemberTypes(type));
      return members ? std::optional(union_type(std::move(*members))) : std::nullopt;
    }
    case LogicalTypeId::VARIANT:
      return variant_type();
    default: {
      auto fields = find_members(duckdb::StructType::GetChildTypes(type));
      return fields ? std::optional(Type::structure(std::move(*fields))) : std::nullopt;
    }
  }
}

duckdb::child_list_t<duckdb::LogicalType> to_duckdb(std::span<const Member> members) {
  duckdb::child_list_t<duckdb::LogicalType> fields;
  for (const Member& member : members) fields.emplace_back(member.name, sql::to_duckdb(member.type));
  return fields;
}

}  // namespace

bool is_held_as_text(const duckdb::LogicalType& type) {
  switch (type.id()) {
    case LogicalTypeId::ENUM:
    case LogicalTypeId::BIT:
    case LogicalTypeId::BIGNUM:
    case LogicalTypeId::TIME_TZ:
    case LogicalTypeId::TYPE:
      return true;
    default:
      return false;
  }
}

bool holds_text(const duckdb::LogicalType& type) {
  return duckdb::TypeVisitor::Contains(type, is_held_as_text);
}

bool is_duckdbs(const duckdb::LogicalType& type) {
  return duckdb::TypeVisitor::Contains(type, [](const duckdb::LogicalType& part) {
    return is_held_as_text(part) || part.id() == LogicalTypeId::UNION || part.id() == LogicalTypeId::VARIANT;
  });
}

bool holds_variant(const duckdb::LogicalType& type) {
  return duckdb::TypeVisitor::Contains(
      type, [](const duckdb::LogicalType& part) { return part.id() == LogicalTypeId::VARIANT; });
}

bool holds_json(const duckdb::LogicalType& type) {
  return duckdb::TypeVisitor::Contains(type,
                                       [](const duckdb::LogicalType& part) { return part.IsJSONType(); });
}

std::optional<Type> find_type(const duckdb::LogicalType& type) {
  if (is_held_as_text(type)) return TypeId::kVarchar;
  if (duckdb::TypeVisitor::Contains(type, LogicalTypeId::TYPE)) return std::nullopt;
  switch (type.id()) {
    case LogicalTypeId::DECIMAL:
      return Type::decimal(duckdb::DecimalType::GetWidth(type), duckdb::DecimalType::GetScale(type));
    case LogicalTypeId::LIST:
    case LogicalTypeId::ARRAY:
    case LogicalTypeId::MAP:
    case LogicalTypeId::STRUCT:
    case LogicalTypeId::UNION:
    case LogicalTypeId::VARIANT:
      return find_nested(type);
    default:
      break;
  }
  const auto pair = std::ranges::find(kTypePairs, type.id(), &TypePair::duckdb);
  return pair != std::end(kTypePairs) ? std::optional(pair->ours) : std::nullopt;
}

std::string text_of(const duckdb::LogicalType& type) {
  const bool is_name = type.id() == LogicalTypeId::ENUM || type.id() == LogicalTypeId::TYPE;
  if (find_type(type)) return !is_name && (holds_text(type) || holds_json(type)) ? type.ToString() : "";
  const bool names_member = !duckdb::TypeVisitor::Contains(type, LogicalTypeId::UNION);
  return names_member ? type.ToString() : "";
}

std::shared_ptr<const SqlType> sql_type(const duckdb::LogicalType& type) {
  return text_of(type).empty() ? nullptr : std::make_shared<const SqlType>(type);
}

Type type_of(const duckdb::LogicalType& type, std::string_view what) {
  if (const auto found = find_type(type)) return *found;
  unsupported(fmt::format("{} is of type {}, which is not", what, type.ToString()));
}

duckdb::LogicalType to_duckdb(const Type& type) {
  switch (type.id) {
    case TypeId::kDecimal:
      return duckdb::LogicalType::DECIMAL(type.precision, type.scale);
    case TypeId::kList:
      return duckdb::LogicalType::LIST(to_duckdb(type.element()));
    case TypeId::kArray:
      return duckdb::LogicalType::ARRAY(to_duckdb(type.element()), type.nested->size);
    case TypeId::kStruct:
      if (is_variant(type)) return duckdb::LogicalType::VARIANT();
      if (is_union(type)) return duckdb::LogicalType::UNION(to_duckdb(std::span(type.members()).subspan(1)));
      return duckdb::LogicalType::STRUCT(to_duckdb(type.members()));
    case TypeId::kMap:
      return duckdb::LogicalType::MAP(to_duckdb(type.members()[0].type), to_duckdb(type.members()[1].type));
    default:
      break;
  }
  const auto pair = std::ranges::find(kTypePairs, type, &TypePair::ours);
  if (pair == std::end(kTypePairs)) throw InternalError("unknown type " + type.name());
  return pair->duckdb;
}

duckdb::LogicalType duckdbs_type(const Field& field, duckdb::ClientContext& context) {
  if (field.sql_type) return field.sql_type->type;
  return field.text_of.empty() ? to_duckdb(field.type)
                               : duckdb::TransformStringToLogicalType(field.text_of, context);
}

Value to_value(const duckdb::Value& value) {
  const Type type = type_of(value.type(), "a constant");
  if (value.IsNull()) return Value(type);
  if (type.is_nested()) return packed_value(value, type);
  switch (type.physical()) {
    case Physical::kFloat32:
      return {type, static_cast<double>(value.GetValueUnsafe<float>())};
    case Physical::kFloat64:
      return {type, value.GetValueUnsafe<double>()};
    case Physical::kInterval: {
      const auto interval = value.GetValueUnsafe<duckdb::interval_t>();
      return {type, Interval{interval.months, interval.days, interval.micros}};
    }
    case Physical::kString:
      return {type, is_held_as_text(value.type()) ? value.ToString() : duckdb::StringValue::Get(value)};
    default:
      break;
  }
  switch (value.type().InternalType()) {
    case duckdb::PhysicalType::BOOL:
      return {type, int128_t{value.GetValueUnsafe<bool>()}};
    case duckdb::PhysicalType::INT8:
      return {type, int128_t{value.GetValueUnsafe<int8_t>()}};
    case duckdb::PhysicalType::INT16:
      return {type, int128_t{value.GetValueUnsafe<int16_t>()}};
    case duckdb::PhysicalType::INT32:
      return {type, int128_t{value.GetValueUnsafe<int32_t>()}};
    case duckdb::PhysicalType::INT64:
      return {type, int128_t{value.GetValueUnsafe<int64_t>()}};
    case duckdb::PhysicalType::UINT8:
      return {type, uint128_t{value.GetValueUnsafe<uint8_t>()}};
    case duckdb::PhysicalType::UINT16:
      return {type, uint128_t{value.GetValueUnsafe<uint16_t>()}};
    case duckdb::PhysicalType::UINT32:
      return {type, uint128_t{value.GetValueUnsafe<uint32_t>()}};
    case duckdb::PhysicalType::UINT64:
      return {type, uint128_t{value.GetValueUnsafe<uint64_t>()}};
    case duckdb::PhysicalType::INT128: {
      const auto held = value.GetValueUnsafe<duckdb::hugeint_t>();
      return {type, static_cast<int128_t>(held.upper) << 64 | static_cast<int128_t>(held.lower)};
    }
    case duckdb::PhysicalType::UINT128: {
      const auto held = value.GetValueUnsafe<duckdb::uhugeint_t>();
      return {type, static_cast<uint128_t>(held.upper) << 64 | static_cast<uint128_t>(held.lower)};
    }
    default:
      throw InternalError("constant of type " + value.type().ToString());
  }
}

}  // namespace lanewise::sql
