#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "lanes/find.h"
#include "lanes/find_set.h"
#include "lanes/lines.h"
#include "text/matcher.h"

namespace lanewise::text {

/// What one thread needs while it matches lines; as MatchContext.
struct LineContext {
  MatchContext match;
  std::vector<uint32_t> offsets;
  std::vector<uint64_t> hits;
  std::vector<lanes::Line> candidates;
  std::vector<uint8_t> gathered;  ///< the candidates, one behind the other
  int blocks_by_line = 0;         ///< so many texts more are split into lines, since candidates were many
};

/// Answers `which lines of this text match`. Where all matches contain a text, or one of several sequences,
/// that is searched in all lines at once and only lines that hold it are looked at; else the text is split
/// into lines, which are rows to a Matcher. Immutable, shared freely between threads.
class LineMatcher {
 public:
  /// As Matcher.
  explicit LineMatcher(Pattern pattern, const MatcherOptions& options = {});

  /// Appends the lines that match, in order. text[0, size) is empty or ends with \n, size < 2^32, and 64
  /// bytes behind it are readable. A line's \n is never matched.
  void match(const uint8_t* text, size_t size, std::vector<lanes::Line>& lines, LineContext& context) const;

  const Pattern& pattern() const { return matcher_.pattern(); }
  /// The lanes that it runs on.
  lanes::Target target() const { return target_; }
  /// One line for people: what is done to a text.
  std::string describe() const;
  /// What decides lines, or what is left of them.
  const Matcher& matcher() const { return matcher_; }

 private:
  void by_line(const uint8_t* text, size_t size, std::vector<lanes::Line>& lines, LineContext& context) const;
  void by_candidate(const uint8_t* text, size_t size, std::vector<lanes::Line>& lines,
                    LineContext& context) const;

  Matcher matcher_;
  lanes::Target target_;
  void choose_needle();
  void choose_sequences();
  bool finds() const { return finder_ || sequences_; }

  std::string needle_;                              // in every match
  bool needle_is_all_ = false;                      // a line that holds it, or a sequence, matches
  std::optional<lanes::LiteralFinder> finder_;      // of the needle; nothing where it does not pay
  std::optional<lanes::SequenceFinder> sequences_;  // where there is no needle; nothing where they do not pay
};

}  // namespace lanewise::text
