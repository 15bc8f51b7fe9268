#include "data/type.h"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <iterator>
#include <mutex>
#include <span>

#include "base/error.h"
#include "data/union_type.h"

namespace lanewise {

namespace {

/// The one NestedType that equals `wanted`.
const NestedType* shared(NestedType wanted) {
  static std::mutex mutex;
  static std::deque<NestedType> all;
  const std::lock_guard lock(mutex);
  const auto found = std::find(all.begin(), all.end(), wanted);
  return found != all.end() ? &*found : &all.emplace_back(std::move(wanted));
}

Type nested(TypeId id, std::vector<Member> members, uint32_t size = 0) {
  Type type(id);
  type.nested = shared({id, std::move(members), size});
  return type;
}

bool is_plain_name(const std::string& name) {
  return !name.empty() && !(name[0] >= '0' && name[0] <= '9') && std::ranges::all_of(name, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
  });
}

constexpr uint32_t kUnion = 1, kVariant = 2;  // NestedType::size of structs

std::string names_of(std::span<const Member> members) {
  std::string text;
  for (const Member& member : members) {
    if (!text.empty()) text += ", ";
    if (is_plain_name(member.name)) {
      text += member.name + " ";
    } else if (!member.name.empty()) {
      text += '"';
      for (const char c : member.name) text.append(c == '"' ? 2 : 1, c);
      text += "\" ";
    }
    text += member.type.name();
  }
  return text;
}

}  // namespace

Type Type::list(Type element) { return lanewise::nested(TypeId::kList, {{"element", element}}); }

Type Type::array(Type element, uint32_t size) {
  return lanewise::nested(TypeId::kArray, {{"element", element}}, size);
}

Type Type::structure(std::vector<Member> fields) {
  return lanewise::nested(TypeId::kStruct, std::move(fields));
}

Type Type::map(Type key, Type value) {
  return lanewise::nested(TypeId::kMap, {{"entries", structure({{"key", key}, {"value", value}})}});
}

Type union_type(std::vector<Member> members) {
  members.insert(members.begin(), {"", TypeId::kUInt8});
  return lanewise::nested(TypeId::kStruct, std::move(members), kUnion);
}

bool is_union(Type type) { return type.id == TypeId::kStruct && type.nested->size == kUnion; }

Type variant_type() {
  const Type child = Type::structure({{"keys_index", TypeId::kUInt32}, {"values_index", TypeId::kUInt32}});
  const Type value = Type::structure({{"type_id", TypeId::kUInt8}, {"byte_offset", TypeId::kUInt32}});
  return lanewise::nested(TypeId::kStruct,
                          {{"keys", Type::list(TypeId::kVarchar)},
                           {"children", Type::list(child)},
                           {"values", Type::list(value)},
                           {"data", TypeId::kBlob}},
                          kVariant);
}

bool is_variant(Type type) { return type.id == TypeId::kStruct && type.nested->size == kVariant; }

bool has_variant(Type type) {
  return is_variant(type) ||
         (type.is_nested() && std::ranges::any_of(type.nested->members, has_variant, &Member::type));
}

Type Type::element() const { return nested->members[0].type; }

const std::vector<Member>& Type::members() const {
  return id == TypeId::kStruct ? nested->members : element().nested->members;
}

Physical Type::physical() const {
  switch (id) {
    case TypeId::kNull:
    case TypeId::kBool:
      return Physical::kBool;
    case TypeId::kInt8:
      return Physical::kInt8;
    case TypeId::kInt16:
      return Physical::kInt16;
    case TypeId::kInt32:
    case TypeId::kDate:
      return Physical::kInt32;
    case TypeId::kInt64:
    case TypeId::kTime:
    case TypeId::kTimeNs:
    case TypeId::kTimestamp:
    case TypeId::kTimestampTz:
      return Physical::kInt64;
    case TypeId::kInt128:
    case TypeId::kUuid:
      return Physical::kInt128;
    case TypeId::kUInt8:
      return Physical::kUInt8;
    case TypeId::kUInt16:
      return Physical::kUInt16;
    case TypeId::kUInt32:
      return Physical::kUInt32;
    case TypeId::kUInt64:
      return Physical::kUInt64;
    case TypeId::kUInt128:
      return Physical::kUInt128;
    case TypeId::kFloat32:
      return Physical::kFloat32;
    case TypeId::kFloat64:
      return Physical::kFloat64;
    case TypeId::kDecimal:
      return precision <= 18 ? Physical::kInt64 : Physical::kInt128;
    case TypeId::kInterval:
      return Physical::kInterval;
    case TypeId::kVarchar:
    case TypeId::kBlob:
    case TypeId::kList:
    case TypeId::kArray:
    case TypeId::kStruct:
    case TypeId::kMap:
      return Physical::kString;
  }
  throw InternalError("unknown type");
}

namespace {

/// The types whose name depends on nothing else.
constexpr struct {
  TypeId id;
  const char* name;
} kTypeNames[] = {
    {TypeId::kNull, "NULL"},
    {TypeId::kBool, "BOOLEAN"},
    {TypeId::kInt8, "TINYINT"},
    {TypeId::kInt16, "SMALLINT"},
    {TypeId::kInt32, "INTEGER"},
    {TypeId::kInt64, "BIGINT"},
    {TypeId::kInt128, "HUGEINT"},
    {TypeId::kUInt8, "UTINYINT"},
    {TypeId::kUInt16, "USMALLINT"},
    {TypeId::kUInt32, "UINTEGER"},
    {TypeId::kUInt64, "UBIGINT"},
    {TypeId::kUInt128, "UHUGEINT"},
    {TypeId::kFloat32, "FLOAT"},
    {TypeId::kFloat64, "DOUBLE"},
    {TypeId::kDate, "DATE"},
    {TypeId::kTime, "TIME"},
    {TypeId::kTimestampTz, "TIMESTAMP WITH TIME ZONE"},
    {TypeId::kInterval, "INTERVAL"},
    {TypeId::kVarchar, "VARCHAR"},
    {TypeId::kBlob, "BLOB"},
    {TypeId::kUuid, "UUID"},
    {TypeId::kTimeNs, "TIME_NS"},
};
constexpr size_t kTypesWithParts = 6;  // decimals, timestamps and the nested types
static_assert(std::size(kTypeNames) + kTypesWithParts == static_cast<size_t>(TypeId::kMap) + 1);

const char* timestamp_name(TimeUnit unit) {
  switch (unit) {
    case TimeUnit::kSecond:
      return "TIMESTAMP_S";
    case TimeUnit::kMilli:
      return "TIMESTAMP_MS";
    case TimeUnit::kMicro:
      return "TIMESTAMP";
    case TimeUnit::kNano:
      return "TIMESTAMP_NS";
  }
  throw InternalError("unknown unit");
}

}  // namespace

std::string Type::name() const {
  switch (id) {
    case TypeId::kDecimal:
      return fmt::format("DECIMAL({},{})", precision, scale);
    case TypeId::kTimestamp:
      return timestamp_name(unit);
    case TypeId::kList:
      return element().name() + "[]";
    case TypeId::kArray:
      return fmt::format("{}[{}]", element().name(), nested->size);
    case TypeId::kStruct:
      if (is_variant(*this)) return "VARIANT";
      if (is_union(*this)) return "UNION(" + names_of(std::span(members()).subspan(1)) + ")";
      return "STRUCT(" + names_of(members()) + ")";
    case TypeId::kMap:
      return fmt::format("MAP({}, {})", members()[0].type.name(), members()[1].type.name());
    default:
      break;
  }
  for (const auto& type : kTypeNames) {
    if (type.id == id) return type.name;
  }
  throw InternalError("unknown type");
}

size_t width(Physical physical) {
  if (physical == Physical::kString) return 0;
  return visit(physical, [](auto zero) { return sizeof(zero); });
}

}  // namespace lanewise
