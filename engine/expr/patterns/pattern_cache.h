#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "expr/patterns/syntax.h"
#include "text/matcher.h"

namespace lanewise::expr {

/// A cache of patterns that vary by row: each is compiled once while it stays in the cache. For one thread.
class PatternCache {
 public:
  struct Entry {
    Compiled compiled;
    std::optional<text::Matcher> matcher;
    text::MatchContext context;
    std::optional<text::Matcher> otherwise;
    text::MatchContext otherwise_context;

    /// Throws the pattern's error if the text reaches it.
    bool matches(std::string_view text);
  };

  /// Throws UserError for an invalid pattern. The entry lives until the next call.
  Entry& get(Syntax syntax, std::string_view pattern, std::optional<std::string_view> detail);

 private:
  static constexpr size_t kKept = 64;

  std::unordered_map<std::string, Entry> entries_;
  std::string key_;
  Entry* last_ = nullptr;  // the entry of key_
};

}  // namespace lanewise::expr
