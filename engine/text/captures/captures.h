#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "text/captures/engines/capture.h"
#include "text/pattern/pattern.h"

namespace lanewise::text {

/// One thread's scratch memory for finding captures. It serves any pattern, one at a time.
class CaptureContext {
 public:
  CaptureContext();
  ~CaptureContext();
  CaptureContext(CaptureContext&&) noexcept;
  CaptureContext& operator=(CaptureContext&&) noexcept;

  struct Scratch;
  Scratch& scratch() { return *scratch_; }

 private:
  std::unique_ptr<Scratch> scratch_;
};

namespace captures {
class MatchStarts;
}
namespace detail {
struct CompiledPattern;
}

/// Finds the matches of one text, like find_captures, in time linear in the text for all of them. Pattern,
/// text and context must outlive it; the context serves one finder at a time.
class MatchFinder {
 public:
  MatchFinder(const Pattern& pattern, std::string_view text, CaptureContext& context);
  /// The leftmost match that starts at or after `from`.
  bool next(size_t from, std::span<Capture> groups);

 private:
  bool next_word(size_t from, std::span<Capture> groups);
  size_t next_start(const captures::MatchStarts& starts, size_t from);
  bool match_at(size_t at, std::span<Capture> groups);

  const detail::CompiledPattern& pattern_;
  std::string_view text_;
  CaptureContext::Scratch& scratch_;
  int searches_ = 0;
  bool folds_ = false;          // words are searched for in folded_
  std::string folded_;          // the text in folded case
  std::vector<size_t> places_;  // for each of its bytes, the position in text_
};

/// Finds the leftmost match that starts at or after `from` and fills groups[0] (the match), groups[1] ... up
/// to groups.size(); among matches with the same start the pattern's own order decides, as in RE2 and Perl.
/// ^, \A, \b and \B see the text before `from`. False, with groups unchanged, if there is no match.
/// Linear time.
bool find_captures(const Pattern& pattern, std::string_view text, size_t from, std::span<Capture> groups,
                   CaptureContext& context);

/// The functions below behave like DuckDB's functions of the same names; the pattern's full_match is ignored.

/// The text of group `group` of the first match; empty if there is no match, no such group, or it did not
/// take part.
std::string_view regexp_extract(const Pattern& pattern, std::string_view text, int group,
                                CaptureContext& context);

/// Group `group` of every match, left to right; nullopt if it did not take part. An empty match advances by
/// one character. Throws UserError if something matches and the pattern has no such group.
std::vector<std::optional<std::string_view>> regexp_extract_all(const Pattern& pattern, std::string_view text,
                                                                int group, CaptureContext& context);

/// Appends `text` to `out` with the first match (all matches, if `global`) replaced by `rewrite`, in which \0
/// .. \9 stand for groups and \\ for a backslash. A rewrite that names a missing group changes nothing.
/// Throws UserError once the replacements exceed `longest` bytes.
void regexp_replace(const Pattern& pattern, std::string_view text, std::string_view rewrite, bool global,
                    std::string& out, CaptureContext& context, size_t longest = std::string::npos);

/// The pieces of `text` between matches. An empty match splits off one character.
std::vector<std::string_view> regexp_split(const Pattern& pattern, std::string_view text,
                                           CaptureContext& context);

/// `text` with every character escaped that has a special meaning in a pattern.
std::string regexp_escape(std::string_view text);

}  // namespace lanewise::text
