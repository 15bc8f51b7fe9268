#include "expr/patterns/reference.h"

#include <algorithm>
#include <vector>

#include "base/error.h"
#include "expr/strings/characters.h"

namespace lanewise::expr {

bool like_reference(const std::string& text, const std::string& pattern, const char* escape) {
  // reach[i]: the pattern up to here matches the text up to byte i.
  std::vector<bool> reach(text.size() + 1);
  reach[0] = true;
  const size_t percents = pattern.size() - (pattern.find_last_not_of('%') + 1);  // at the end
  for (size_t at = 0; at < pattern.size(); ++at) {
    if (escape != nullptr && *escape == '%' && at + percents >= pattern.size() && reach[text.size()])
      return true;
    std::vector<bool> next(text.size() + 1);
    const bool escaped = escape != nullptr && pattern[at] == *escape;
    if (escaped && ++at == pattern.size()) {
      reach[text.size()] = false;
      if (std::count(reach.begin(), reach.end(), true) == 0) return false;
      throw UserError("the pattern ends in the escape character");
    }
    for (size_t i = 0; i <= text.size(); ++i) {
      if (!escaped && pattern[at] == '%') {
        next[i] = reach[i] || (i > 0 && next[i - 1]);
      } else if (i < text.size() && reach[i]) {
        if (!escaped && pattern[at] == '_') {
          next[next_character(text, i)] = true;
        } else if (text[i] == pattern[at]) {
          next[i + 1] = true;
        }
      }
    }
    reach = next;
  }
  return reach[text.size()];
}

namespace {

/// Reads the class after '[' at `at` and leaves `at` after its ']'. False if `byte` is not in it or it has
/// no end.
bool in_class(const std::string& pattern, size_t& at, char byte) {
  const bool inverted = at < pattern.size() && pattern[at] == '!';
  if (inverted) ++at;
  bool found = false;
  for (const size_t first = at; at < pattern.size();) {
    if (pattern[at] == ']' && at > first) {
      ++at;
      return found != inverted;
    }
    if (at + 1 == pattern.size()) return false;
    if (pattern[at + 1] == '-') {
      if (at + 2 == pattern.size()) return false;
      found |= byte >= pattern[at] && byte <= pattern[at + 2];
      at += 3;
    } else {
      found |= byte == pattern[at++];
    }
  }
  return false;
}

bool glob_from(const std::string& text, size_t i, const std::string& pattern, size_t at) {
  if (at == pattern.size()) return i == text.size();
  if (pattern[at] == '*') {
    for (size_t end = i; end <= text.size(); ++end) {
      if (glob_from(text, end, pattern, at + 1)) return true;
    }
    return false;
  }
  if (i == text.size()) return false;
  if (pattern[at] == '?') return glob_from(text, i + 1, pattern, at + 1);
  if (pattern[at] == '[') {
    ++at;
    return in_class(pattern, at, text[i]) && glob_from(text, i + 1, pattern, at);
  }
  if (pattern[at] == '\\') ++at;
  if (at == pattern.size()) return false;
  return text[i] == pattern[at] && glob_from(text, i + 1, pattern, at + 1);
}

}  // namespace

bool glob_reference(const std::string& text, const std::string& pattern) {
  return glob_from(text, 0, pattern, 0);
}

}  // namespace lanewise::expr
