#pragma once

#include <random>
#include <string>
#include <vector>

#include "text/pattern/pattern.h"

namespace lanewise::text::testing {

inline std::string random_text(const std::vector<std::string>& letters, size_t most, std::mt19937& random) {
  std::string text;
  for (size_t n = random() % (most + 1); n > 0; --n) text += letters[random() % letters.size()];
  return text;
}

/// LIKE, ILIKE, GLOB or a regular expression over a and b.
inline Pattern random_pattern(std::mt19937& random) {
  switch (random() % 5) {
    case 0:
      return compile_like(random_text({"a", "b", "%", "_", "\xC3\xA9"}, 5, random));
    case 1:
      return compile_like(random_text({"A", "b", "%", "_"}, 4, random), {.escape = {}, .ignore_case = true});
    case 2:
      return compile_glob(random_text({"a", "b", "*", "?", "[!a]"}, 4, random));
    default:
      return compile_regex(random_text({"a", "b", ".", "(a|b)", "b*", "^", "$", "\\b", "(ab)?"}, 4, random),
                           {.full_match = random() % 2 == 0});
  }
}

inline std::vector<Pattern> random_patterns(std::mt19937& random, size_t most) {
  std::vector<Pattern> patterns;
  for (size_t n = random() % (most + 1); n > 0; --n) patterns.push_back(random_pattern(random));
  return patterns;
}

}  // namespace lanewise::text::testing
