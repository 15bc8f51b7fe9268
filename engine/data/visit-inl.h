#pragma once

#include <string_view>

#include "base/error.h"
#include "base/int128.h"
#include "data/type.h"

namespace lanewise {

template <class F>
decltype(auto) visit(Physical physical, F f) {
  switch (physical) {
    case Physical::kBool:
    case Physical::kUInt8:
      return f(uint8_t{});
    case Physical::kInt8:
      return f(int8_t{});
    case Physical::kInt16:
      return f(int16_t{});
    case Physical::kInt32:
      return f(int32_t{});
    case Physical::kInt64:
      return f(int64_t{});
    case Physical::kInt128:
      return f(int128_t{});
    case Physical::kUInt16:
      return f(uint16_t{});
    case Physical::kUInt32:
      return f(uint32_t{});
    case Physical::kUInt64:
      return f(uint64_t{});
    case Physical::kUInt128:
      return f(uint128_t{});
    case Physical::kFloat32:
      return f(float{});
    case Physical::kFloat64:
      return f(double{});
    case Physical::kInterval:
      return f(Interval{});
    case Physical::kString:
      return f(std::string_view{});
  }
  throw InternalError("unknown physical type");
}

}  // namespace lanewise
