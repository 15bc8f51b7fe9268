#pragma once

#include <fmt/format.h>

#include <string>
#include <string_view>

namespace lanewise {

/// The string as a JSON string (RFC 8259, section 7), with its quotes. Bytes that are not UTF-8 are kept.
inline std::string json_quoted(std::string_view text) {
  std::string result = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      result += '\\';
      result += c;
    } else if (static_cast<unsigned char>(c) < 0x20) {
      result += fmt::format("\\u{:04x}", static_cast<unsigned>(c));
    } else {
      result += c;
    }
  }
  return result + '"';
}

}  // namespace lanewise
