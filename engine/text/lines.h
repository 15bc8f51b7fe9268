#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "lanes/search/find.h"
#include "lanes/search/find_set.h"
#include "lanes/search/lines.h"
#include "text/captures/captures.h"
#include "text/matcher.h"

namespace lanewise::text {

namespace literals {
class WordFinder;
}

/// The state of one thread that matches lines, like MatchContext.
struct LineContext {
  MatchContext match;
  MatchContext match_all;  ///< of UnicodeLineMatcher, for lines that are not ASCII
  CaptureContext captures;
  std::vector<lanes::Line> high, ascii, high_found, ascii_found;
  std::vector<uint32_t> offsets;
  std::vector<uint64_t> hits;
  std::vector<lanes::Line> candidates, found;
  std::vector<uint8_t> gathered;  ///< the concatenated candidates
  int blocks_by_line = 0;  ///< this many more blocks are split into lines, as there were many candidates
};

/// Finds the matching lines of a text. If all matches contain a literal, or one of several sequences, it is
/// searched in all lines at once. Only lines that contain it are examined, unless the bytes around it already
/// decide. Otherwise the text is split into lines, which are rows for a Matcher. Immutable, shared freely
/// between threads.
class LineMatcher {
 public:
  /// Like Matcher. `line_end`: the byte after each line.
  explicit LineMatcher(Pattern pattern, const MatcherOptions& options = {}, char line_end = '\n');

  /// Appends the matching lines, in order. text[0, size) is empty or ends with a line end, size < 2^32,
  /// and 64 bytes after it are readable. A line end is never matched.
  void match(const uint8_t* text, size_t size, std::vector<lanes::Line>& lines, LineContext& context) const;
  /// The same for some lines of the text.
  void match_some(const uint8_t* text, const std::vector<lanes::Line>& some, std::vector<lanes::Line>& lines,
                  LineContext& context) const;

  /// Whether every match of both contains the same literal, so that one search finds the candidates.
  bool shares_candidates(const LineMatcher& other) const {
    return finder_ && other.finder_ && needle_ == other.needle_ && !needle_is_all_ && !other.needle_is_all_;
  }
  /// Appends the lines that contain that literal: to `lines` if the bytes around it prove a match, else to
  /// `open`.
  void find_candidates(const uint8_t* text, size_t size, std::vector<lanes::Line>& lines,
                       std::vector<lanes::Line>& open, LineContext& context) const;

  const Pattern& pattern() const { return matcher_.pattern(); }
  /// The lanes that it runs on.
  lanes::Target target() const { return target_; }
  char line_end() const { return line_end_; }
  /// A one-line description of how a text is searched.
  std::string describe() const;
  /// The matcher that decides lines, or the remaining candidates.
  const Matcher& matcher() const { return matcher_; }

 private:
  void by_line(const uint8_t* text, size_t size, std::vector<lanes::Line>& lines, LineContext& context) const;
  void by_candidate(const uint8_t* text, size_t size, std::vector<lanes::Line>& lines,
                    LineContext& context) const;
  size_t split(const uint8_t* text, size_t at, size_t size, uint32_t* ends) const;

  Matcher matcher_;
  lanes::Target target_;
  char line_end_;
  void choose_needle();
  void choose_sequences();
  bool finds() const { return finder_ || sequences_; }

  std::string needle_;                              // in every match
  bool needle_is_all_ = false;                      // a line that contains it, or a sequence, matches
  std::optional<lanes::LiteralFinder> finder_;      // of the needle; absent if searching for it does not pay
  std::optional<lanes::Neighbours> neighbours_;     // of the needle, if they are selective
  const literals::WordFinder* words_ = nullptr;     // set if the pattern is a list of many words
  std::optional<lanes::SequenceFinder> sequences_;  // set if there is no needle and sequences pay
};

/// A LineMatcher for Unicode patterns. The ASCII part of the pattern, with small automata, decides lines of
/// ASCII; the whole pattern decides the others. Immutable, shared freely between threads.
class UnicodeLineMatcher {
 public:
  /// `make` compiles the pattern, for ASCII strings only (true) or any.
  template <class Make>
  UnicodeLineMatcher(const Make& make, const MatcherOptions& options, char line_end)
      : UnicodeLineMatcher(make(false), [&] { return make(true); }, options, line_end) {}

  /// As LineMatcher::match.
  void match(const uint8_t* text, size_t size, std::vector<lanes::Line>& lines, LineContext& context) const;

  /// The pattern that finds positions in this text.
  const Pattern& pattern_for(std::string_view text) const;
  const Pattern& pattern() const { return whole_; }
  lanes::Target target() const { return of_ascii_.target(); }
  std::string describe() const { return of_ascii_.describe(); }
  const Matcher& matcher() const { return of_ascii_.matcher(); }

 private:
  template <class MakeAscii>
  UnicodeLineMatcher(const Pattern& whole, const MakeAscii& make_ascii, const MatcherOptions& options,
                     char line_end)
      : whole_(whole),
        differs_(whole.beyond_ascii() && !whole.is_word_list()),
        of_ascii_(differs_ ? make_ascii() : whole, options, line_end),
        options_(options) {
    if (differs_) of_all_.emplace(whole, options, line_end);
    shares_candidates_ = differs_ && of_ascii_.shares_candidates(*of_all_);
  }
  void match_mixed(const uint8_t* text, size_t size, std::vector<lanes::Line>& lines,
                   LineContext& context) const;
  void match_candidates(const uint8_t* text, size_t size, std::vector<lanes::Line>& lines,
                        LineContext& context) const;
  void match_high(const uint8_t* text, LineContext& context) const;

  Pattern whole_;
  bool differs_;
  LineMatcher of_ascii_;
  std::optional<LineMatcher> of_all_;
  bool shares_candidates_ = false;
  MatcherOptions options_;
};

}  // namespace lanewise::text
