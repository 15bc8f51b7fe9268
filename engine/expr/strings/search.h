#pragma once

#include <cstddef>
#include <cstring>
#include <string_view>

namespace lanewise::expr {

/// First position of `needle`, which is not empty, in `text` at or after `from`; npos if there is none.
inline size_t find_text(std::string_view text, std::string_view needle, size_t from) {
  if (text.size() - from < needle.size()) return std::string_view::npos;
  const char* start = text.data() + from;
  const size_t bytes = text.size() - from;
  const void* at = needle.size() == 1 ? std::memchr(start, needle[0], bytes)
                                      : memmem(start, bytes, needle.data(), needle.size());
  return at == nullptr ? std::string_view::npos
                       : static_cast<size_t>(static_cast<const char*>(at) - text.data());
}

}  // namespace lanewise::expr
