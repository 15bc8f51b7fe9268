#include "output/display.h"

#include <fmt/format.h>

#include <clocale>
#include <cwchar>
#include <iterator>

namespace lanewise::cli {

namespace {

/// Decodes the first character of `text`; returns its length in bytes, or 0 if it is invalid.
size_t decode(std::string_view text, wchar_t& character) {
  // mbrtowc uses the thread's locale; that of the user may not be UTF-8.
  static thread_local const locale_t kUtf8 = ::newlocale(LC_CTYPE_MASK, "C.UTF-8", nullptr);
  static thread_local const locale_t kBefore = kUtf8 == nullptr ? nullptr : ::uselocale(kUtf8);
  static_cast<void>(kBefore);
  std::mbstate_t state{};
  const size_t length = std::mbrtowc(&character, text.data(), text.size(), &state);
  if (length > text.size()) return 0;  // invalid or cut off
  return length == 0 ? 1 : length;
}

}  // namespace

std::string printable(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    wchar_t character = 0;
    const size_t length = decode(text, character);
    const auto byte = static_cast<unsigned char>(text.front());
    if (length == 0) {
      out += "\xEF\xBF\xBD";
    } else if (byte == '\n') {
      out += "\\n";
    } else if (byte == '\t') {
      out += "\\t";
    } else if (byte == '\r') {
      out += "\\r";
    } else if (byte < 32 || byte == 127) {
      fmt::format_to(std::back_inserter(out), "\\x{:02X}", byte);
    } else if (::wcwidth(character) < 0) {  // C1 controls, unassigned characters
      fmt::format_to(std::back_inserter(out), "\\u{{{:X}}}", static_cast<uint32_t>(character));
    } else {
      out += text.substr(0, length);
    }
    text.remove_prefix(length == 0 ? 1 : length);
  }
  return out;
}

int display_width(std::string_view text) {
  int width = 0;
  while (!text.empty()) {
    wchar_t character = 0;
    const size_t length = decode(text, character);
    const int cells = length == 0 ? 1 : ::wcwidth(character);
    width += cells < 0 ? 0 : cells;
    text.remove_prefix(length == 0 ? 1 : length);
  }
  return width;
}

std::string fit(std::string_view text, int width) {
  if (static_cast<int>(text.size()) <= width || display_width(text) <= width) return std::string(text);
  std::string out;
  int used = 0;
  while (!text.empty()) {
    wchar_t character = 0;
    size_t length = decode(text, character);
    if (length == 0) length = 1;
    const int cells = display_width(text.substr(0, length));
    if (used + cells > width - 1) break;
    out += text.substr(0, length);
    used += cells;
    text.remove_prefix(length);
  }
  return out + "…";
}

}  // namespace lanewise::cli
