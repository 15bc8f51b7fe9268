#pragma once

#include <cstddef>
#include <cstring>
#include <string>
#include <string_view>

namespace lanewise::text::forms {

/// Finds a non-empty string within a buffer.
class Finder {
 public:
  explicit Finder(std::string needle) : needle_(std::move(needle)) {}

  const std::string& needle() const { return needle_; }

  /// The first occurrence in [begin, end); null if there is none.
  const char* find(const char* begin, const char* end) const {
    const auto size = static_cast<size_t>(end - begin);
    if (size < needle_.size()) return nullptr;
    const void* at = needle_.size() == 1 ? std::memchr(begin, needle_[0], size)
                                         : memmem(begin, size, needle_.data(), needle_.size());
    return static_cast<const char*>(at);
  }
  bool in(std::string_view text) const { return find(text.data(), text.data() + text.size()) != nullptr; }

 private:
  std::string needle_;
};

}  // namespace lanewise::text::forms
