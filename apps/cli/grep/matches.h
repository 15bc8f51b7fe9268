#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "grep/options.h"
#include "text/captures/captures.h"
#include "text/lines.h"

namespace lanewise::cli::grep {

/// Bytes [begin, end) of a string.
struct Span {
  size_t begin, end;
  bool empty() const { return begin == end; }
  size_t size() const { return end - begin; }
};

/// Finds positions of matches, and writes replacements. For one thread.
class Matches {
 public:
  Matches(const Options& options, const text::UnicodeLineMatcher& matcher)
      : options_(options), matcher_(matcher) {}

  /// The matches of the text that start before `limit`, in order, as in ripgrep: an empty match is neither
  /// directly after another one nor at the limit.
  void list(std::string_view text, size_t limit, std::vector<Span>& found);
  /// Appends the text up to `limit` with its matches replaced; `replaced` receives the positions of the
  /// replacements.
  void replace(std::string_view text, size_t limit, std::string_view by, std::string& out,
               std::vector<Span>& replaced);

 private:
  template <class Found>
  void each(std::string_view text, size_t limit, size_t groups, const Found& found);
  void interpolate(std::string_view by, std::string_view text, const text::Pattern& pattern,
                   std::string& out);

  const Options& options_;
  const text::UnicodeLineMatcher& matcher_;
  text::CaptureContext context_;
  std::vector<text::Capture> groups_;
};

}  // namespace lanewise::cli::grep
