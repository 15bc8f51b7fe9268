#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lanes/search/lines.h"
#include "text/literals/word_set.h"

namespace lanewise::text::literals {

/// Finds many words at once (Rabin and Karp): the first 2, 4, 6 or 8 bytes at each position are looked up in
/// a bitmap of hashes, and candidates are compared with the words of their hash. Immutable, shared freely
/// between threads.
class WordFinder {
 public:
  explicit WordFinder(const WordSet& set);

  struct Match {
    size_t begin, end;
  };

  /// The leftmost match that starts at or after `from`; of those with the same start, the first in the
  /// pattern's order.
  std::optional<Match> next(std::string_view text, size_t from) const;
  bool in(std::string_view text) const;

  /// Whether next() must fold a copy of this text first: fold_text() once is cheaper for many calls of
  /// next_folded().
  bool folds(std::string_view text) const;
  std::optional<Match> next_folded(std::string_view text, size_t from) const;

  /// Whether match_lines() supports lines with this end.
  bool takes_lines(char line_end) const;
  /// Appends the matching lines of text[0, size), in order. The text ends with `line_end`, and folds() is
  /// false for it.
  void match_lines(const uint8_t* text, size_t size, char line_end, std::vector<lanes::Line>& lines) const;

  size_t words() const { return count_; }
  uint16_t assertions() const { return before_ | after_; }

 private:
  struct Word {
    uint64_t head;  // its first bytes, up to 8
    uint32_t at, size, order;
  };
  /// The words with at least `window` bytes, and fewer than the next table's, by the hash of those bytes.
  struct Table {
    size_t window = 0;
    uint64_t hashes = 0;
    std::vector<uint32_t> first;  // by hash: index of its first word; one more at the end
    std::vector<Word> words;
  };

  void fill(size_t number, const WordSet& set);
  template <size_t kMasks>
  size_t scan(std::string_view text, size_t from) const;
  /// The first position at or after `from` where a word may start; npos if there is none.
  size_t candidate(std::string_view text, size_t from) const;
  bool same(const Word& word, const char* text) const;
  /// The end of the first word at `at`, ignoring assertions before it; 0 if there is none.
  size_t end_at(std::string_view text, size_t at) const;
  bool matches_at(std::string_view text, size_t at) const;

  size_t count_;
  Fold fold_;
  uint16_t before_, after_;
  uint64_t case_bits_;  // set in each byte before hashing, so that upper and lower case are equal
  std::string text_;    // of all words
  uint64_t start_hashes_;
  std::vector<uint64_t> starts_;  // a bit for the hash of each word's first bytes
  std::vector<uint64_t> masks_;   // of the hashed bytes: of 2, 4, and 6 or 8
  std::array<Table, 5> tables_;
};

}  // namespace lanewise::text::literals
