#pragma once

#include <string_view>
#include <vector>

namespace lanewise::text::syntax {

struct CharRange {
  char32_t lo;
  char32_t hi;

  bool operator==(const CharRange&) const = default;
};

/// A set of code points.
class CharSet {
 public:
  CharSet() = default;
  CharSet(char32_t lo, char32_t hi) { add(lo, hi); }

  void add(char32_t lo, char32_t hi);
  void add(const CharSet& other);
  /// Adds lo..hi and everything that differs from it only in case.
  void add_folded(char32_t lo, char32_t hi);
  void negate();
  /// Keeps the intersection.
  void intersect(const CharSet& other);

  /// Ascending, disjoint, never adjacent.
  const std::vector<CharRange>& ranges() const;
  bool empty() const { return ranges_.empty(); }
  bool contains(char32_t c) const;

 private:
  void normalise() const;

  mutable std::vector<CharRange> ranges_;
  mutable bool normal_ = true;
};

/// Unicode's \w, \d and \s.
const CharSet& unicode_words();
const CharSet& unicode_digits();
const CharSet& unicode_spaces();
bool is_word_character(char32_t c);

/// Sets `out` to a Unicode general category ("Lu", "L"), a script ("Han") or "Any". False if there is none.
bool find_unicode_class(std::string_view name, CharSet& out);

}  // namespace lanewise::text::syntax
