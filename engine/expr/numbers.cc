#include "expr/numbers.h"

namespace lanewise::expr {

std::string_view internal_name(Physical physical) {
  switch (physical) {
    case Physical::kBool:
      return "BOOL";
    case Physical::kInt8:
      return "INT8";
    case Physical::kInt16:
      return "INT16";
    case Physical::kInt32:
      return "INT32";
    case Physical::kInt64:
      return "INT64";
    case Physical::kInt128:
      return "INT128";
    case Physical::kUInt8:
      return "UINT8";
    case Physical::kUInt16:
      return "UINT16";
    case Physical::kUInt32:
      return "UINT32";
    case Physical::kUInt64:
      return "UINT64";
    case Physical::kUInt128:
      return "UINT128";
    case Physical::kFloat32:
      return "FLOAT";
    case Physical::kFloat64:
      return "DOUBLE";
    case Physical::kInterval:
      return "INTERVAL";
    case Physical::kString:
      return "VARCHAR";
  }
  throw InternalError("unknown physical type");
}

}  // namespace lanewise::expr
