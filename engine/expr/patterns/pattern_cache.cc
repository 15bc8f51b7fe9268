#include "expr/patterns/pattern_cache.h"

#include "text/syntax/pattern_error.h"

namespace lanewise::expr {

bool PatternCache::Entry::matches(std::string_view text) {
  if (!matcher) matcher.emplace(compiled.pattern);
  const bool found = matcher->match(text, context);
  if (found && !compiled.fault.empty()) throw text::PatternError(compiled.fault);
  if (!compiled.otherwise) return found;
  if (!otherwise) otherwise.emplace(*compiled.otherwise);
  return otherwise->match(text, otherwise_context);
}

PatternCache::Entry& PatternCache::get(Syntax syntax, std::string_view pattern,
                                       std::optional<std::string_view> detail) {
  std::string key = detail ? std::to_string(detail->size()) + ':' : std::string("-");
  if (detail) key += *detail;
  key += pattern;
  if (last_ != nullptr && key == key_) return *last_;
  last_ = nullptr;
  auto found = entries_.find(key);
  if (found == entries_.end()) {
    Compiled compiled = compile(syntax, pattern, detail);
    if (entries_.size() == kKept) entries_.clear();
    found = entries_.emplace(key, Entry{std::move(compiled), {}, {}, {}, {}}).first;
  }
  key_ = std::move(key);
  last_ = &found->second;
  return *last_;
}

}  // namespace lanewise::expr
