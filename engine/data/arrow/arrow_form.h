#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "base/int128.h"
#include "data/arrow/arrow.h"
#include "data/type.h"

namespace lanewise::arrow {

/// Arrow's layout of a column, and the type that it is imported as.
enum class Layout : uint8_t {
  kNull,
  kBits,        // booleans
  kSame,        // our physical layout
  kText32,      // 32-bit offsets
  kText64,      // 64-bit offsets
  kViews,       // 16-byte views
  kFixedBytes,  // `size` bytes per row
  kDecimal,     // `size` bytes per row, to be narrowed or widened
  kScaled,      // int32 or int64 (`size`), multiplied by `factor`
  kMonths,
  kDayMillis,
  kMonthDayNano,
  kUuid,    // 16 bytes, the most significant one first
  kNested,  // lists (`size` bytes per offset), arrays, structs, maps: elements or fields are children
  kUnion,   // dense (`size` bytes per offset) or sparse; members are children
};

/// The bytes of a UUID in memory, from our value, and back.
constexpr uint128_t uuid_bytes(uint128_t value) {
  return uint128_t{__builtin_bswap64(static_cast<uint64_t>(value))} << 64 |
         __builtin_bswap64(static_cast<uint64_t>(value >> 64) ^ uint64_t{1} << 63);
}
constexpr uint128_t uuid_value(uint128_t bytes) {
  return (uint128_t{__builtin_bswap64(static_cast<uint64_t>(bytes))} ^ uint128_t{1} << 63) << 64 |
         __builtin_bswap64(static_cast<uint64_t>(bytes >> 64));
}

/// The name of Arrow's extension type of UUIDs, whose storage is 16 fixed bytes.
inline constexpr std::string_view kExtensionKey = "ARROW:extension:name";
inline constexpr std::string_view kUuidExtension = "arrow.uuid";

/// One value of kMonthDayNano.
struct MonthDayNano {
  int32_t months;
  int32_t days;
  int64_t nanos;
};

struct Form {
  Type type;
  Layout layout;
  int32_t size = 0;
  int64_t factor = 1;
};

/// Throws UserError that names the field and its format.
[[noreturn]] void refuse(const ArrowSchema& field, const char* what);

/// Reads the format of a field; rejects unsupported formats.
Form form_of(const ArrowSchema& field);

/// The child for each type id of a union's format, "+us:0,5"; -1: there is none.
std::array<int16_t, 128> union_children(const ArrowSchema& field);

}  // namespace lanewise::arrow
