#pragma once

#include <charconv>
#ifdef __EMSCRIPTEN__
#include <fast_float/fast_float.h>
#endif

namespace lanewise {

/// std::from_chars for double. libc++ lacks it, so WebAssembly uses fast_float's.
inline std::from_chars_result real_from_chars(const char* first, const char* last, double& value) {
#ifdef __EMSCRIPTEN__
  const fast_float::from_chars_result read = fast_float::from_chars(first, last, value);
  const bool overflows =
      read.ec == std::errc() && (value > 1.7976931348623157e308 || value < -1.7976931348623157e308);
  return {read.ptr, overflows ? std::errc::result_out_of_range : read.ec};
#else
  return std::from_chars(first, last, value);
#endif
}

}  // namespace lanewise
