#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lanes/lines.h"
#include "text/literals/word_set.h"

namespace lanewise::text::literals {

/// Finds many words at once (Rabin and Karp): the first 2, 4, 6 or 8 bytes at each place are looked up in a
/// bitmap of hashes, and what passes is compared with the words of its hash. Immutable, shared freely between
/// threads.
class WordFinder {
 public:
  explicit WordFinder(const WordSet& set);

  struct Match {
    size_t begin, end;
  };

  /// The leftmost match that starts at or after `from`; of those that start together the first in the
  /// pattern's order.
  std::optional<Match> next(std::string_view text, size_t from) const;
  bool in(std::string_view text) const;

  /// Whether next() must fold a copy of this text first: fold_text() once is cheaper for many calls of
  /// next_folded().
  bool folds(std::string_view text) const;
  std::optional<Match> next_folded(std::string_view text, size_t from) const;

  /// Whether match_lines() takes such lines.
  bool takes_lines(char line_end) const;
  /// Appends the lines of text[0, size) that match, in order. The text ends with `line_end`, and folds() is
  /// false of it.
  void match_lines(const uint8_t* text, size_t size, char line_end, std::vector<lanes::Line>& lines) const;

  size_t words() const { return count_; }
  uint16_t assertions() const { return before_ | after_; }

 private:
  struct Word {
    uint64_t head;  // its first bytes, up to 8
    uint32_t at, size, order;
  };
  /// The words that have `window` bytes, and less than the next table's, by the hash of those bytes.
  struct Table {
    size_t window = 0;
    uint64_t hashes = 0;
    std::vector<uint32_t> first;  // by hash: the first of its words; one more at the end
    std::vector<Word> words;
  };

  void fill(size_t number, const WordSet& set);
  template <size_t kMasks>
  size_t scan(std::string_view text, size_t from) const;
  /// The first place at or after `from` where a word may start; npos where there is none.
  size_t candidate(std::string_view text, size_t from) const;
  bool same(const Word& word, const char* text) const;
  /// Where the first word ends that stands at `at`, apart from assertions before it; 0 where none does.
  size_t end_at(std::string_view text, size_t at) const;
  bool matches_at(std::string_view text, size_t at) const;

  size_t count_;
  Fold fold_;
  uint16_t before_, after_;
  uint64_t case_bits_;  // set in each byte before it is hashed: capitals and small letters are the same
  std::string text_;    // of all words
  uint64_t start_hashes_;
  std::vector<uint64_t> starts_;  // a bit for the hash of each word's first bytes
  std::vector<uint64_t> masks_;   // of the bytes that are hashed: of 2, 4, and 6 or 8
  std::array<Table, 5> tables_;
};

}  // namespace lanewise::text::literals
