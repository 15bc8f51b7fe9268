// Any bytes as a pattern and a text: compiling gives a matcher or a UserError, and all strategies give the
// same answer.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "base/error.h"
#include "text/matcher.h"
#include "text/pattern/pattern.h"

using namespace lanewise;

namespace {

text::Pattern compile(uint8_t kind, std::string_view pattern) {
  if (kind % 4 == 0) {
    return text::compile_like(pattern, {.escape = kind & 16 ? std::optional<char>('!') : std::nullopt,
                                        .ignore_case = (kind & 32) != 0,
                                        .limits = {}});
  }
  if (kind % 4 == 1) return text::compile_glob(pattern);
  text::RegexOptions options;
  options.case_sensitive = (kind & 16) == 0;
  options.dot_newline = (kind & 32) != 0;
  options.full_match = (kind & 64) != 0;
  options.literal = (kind & 128) != 0 && (kind & 8) != 0;
  return text::compile_regex(pattern, options);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size < 2) return 0;
  const std::string_view rest(reinterpret_cast<const char*>(data) + 1, size - 1);
  const size_t split = rest.find('\n');
  const std::string_view subject = split == std::string_view::npos ? "" : rest.substr(split + 1);
  try {
    const text::Pattern pattern = compile(data[0], rest.substr(0, split));
    const bool expected = text::Matcher(pattern).match(subject);
    for (std::string_view form : text::Matcher::form_names()) {
      try {
        if (text::Matcher(pattern, {.form = std::string(form), .lanes = ""}).match(subject) != expected)
          std::abort();
      } catch (const UserError&) {  // This strategy does not support the pattern.
      }
    }
  } catch (const UserError&) {
  }
  return 0;
}
