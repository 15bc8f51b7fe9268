#include <fmt/format.h>

#include <bit>
#include <cstdint>

#include "base/error.h"
#include "expr/gpu/literals.h"
#include "expr/numbers.h"

namespace lanewise::expr {

namespace {

std::string hex(uint64_t bits) { return fmt::format("{:#x}ull", bits); }

std::string whole_literal(std::string_view type, uint128_t bits) {
  const auto high = static_cast<uint64_t>(bits >> 64), low = static_cast<uint64_t>(bits);
  if (type == "i128" || type == "u128") return fmt::format("{}(whole({}, {}))", type, hex(high), hex(low));
  if (low < 1'000'000'000) return fmt::format("{}({})", type, low);
  return fmt::format("{}({})", type, hex(low));
}

}  // namespace

/// Other bytes are three octal digits, after which no digit can be misread.
std::string device_quoted(std::string_view bytes) {
  std::string quoted = "\"";
  for (const char c : bytes) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < ' ' || byte > '~' || c == '"' || c == '\\' || c == '?') {
      quoted += fmt::format("\\{:03o}", byte);
    } else {
      quoted += c;
    }
  }
  return quoted + '"';
}

std::string device_type(Type type) {
  switch (type.physical()) {
    case Physical::kBool:
      return "bool";
    case Physical::kInt8:
      return "i8";
    case Physical::kInt16:
      return "i16";
    case Physical::kInt32:
      return "i32";
    case Physical::kInt64:
      return "i64";
    case Physical::kInt128:
      return "i128";
    case Physical::kUInt8:
      return "u8";
    case Physical::kUInt16:
      return "u16";
    case Physical::kUInt32:
      return "u32";
    case Physical::kUInt64:
      return "u64";
    case Physical::kUInt128:
      return "u128";
    case Physical::kFloat32:
      return "f32";
    case Physical::kFloat64:
      return "f64";
    case Physical::kString:
      return "Text";
    case Physical::kInterval:
      return "Interval";
  }
  throw InternalError("unknown physical type");
}

Emitted device_literal(const Value& value) {
  const std::string type = device_type(value.type());
  if (value.is_null()) return {type + "{}", "false"};
  if (type == "Text")
    return {fmt::format("Literal<{}>::text({})", device_quoted(value.text()), value.text().size())};
  if (type == "bool") return {value.is_true() ? "true" : "false"};
  if (type == "Interval") {
    const Interval parts = value.interval();
    return {fmt::format("Interval{{i32({:#x}u), i32({:#x}u), i64({})}}", static_cast<uint32_t>(parts.months),
                        static_cast<uint32_t>(parts.days), hex(static_cast<uint64_t>(parts.micros)))};
  }
  if (value.type().is_float()) {
    return {fmt::format("{}(real({}))", type, hex(std::bit_cast<uint64_t>(value.real())))};
  }
  if (value.type().is_unsigned_integer()) return {whole_literal(type, value.natural())};
  return {whole_literal(type, static_cast<uint128_t>(value.integer()))};
}

std::string device_power(std::string_view type, int digits) {
  return fmt::format(", {}({})", type, device_literal(Value(TypeId::kInt128, power_of_ten(digits))).value);
}

}  // namespace lanewise::expr
