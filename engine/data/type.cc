#include "data/type.h"

#include <fmt/format.h>

#include "base/error.h"

namespace lanewise {

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
      return Physical::kString;
  }
  throw InternalError("unknown type");
}

std::string Type::name() const {
  switch (id) {
    case TypeId::kNull:
      return "NULL";
    case TypeId::kBool:
      return "BOOLEAN";
    case TypeId::kInt8:
      return "TINYINT";
    case TypeId::kInt16:
      return "SMALLINT";
    case TypeId::kInt32:
      return "INTEGER";
    case TypeId::kInt64:
      return "BIGINT";
    case TypeId::kInt128:
      return "HUGEINT";
    case TypeId::kUInt8:
      return "UTINYINT";
    case TypeId::kUInt16:
      return "USMALLINT";
    case TypeId::kUInt32:
      return "UINTEGER";
    case TypeId::kUInt64:
      return "UBIGINT";
    case TypeId::kUInt128:
      return "UHUGEINT";
    case TypeId::kFloat32:
      return "FLOAT";
    case TypeId::kFloat64:
      return "DOUBLE";
    case TypeId::kDecimal:
      return fmt::format("DECIMAL({},{})", precision, scale);
    case TypeId::kDate:
      return "DATE";
    case TypeId::kTime:
      return "TIME";
    case TypeId::kTimestamp:
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
      break;
    case TypeId::kTimestampTz:
      return "TIMESTAMP WITH TIME ZONE";
    case TypeId::kInterval:
      return "INTERVAL";
    case TypeId::kVarchar:
      return "VARCHAR";
    case TypeId::kBlob:
      return "BLOB";
    case TypeId::kUuid:
      return "UUID";
    case TypeId::kTimeNs:
      return "TIME_NS";
  }
  throw InternalError("unknown type");
}

size_t width(Physical physical) {
  if (physical == Physical::kString) return 0;
  return visit(physical, [](auto zero) { return sizeof(zero); });
}

}  // namespace lanewise
