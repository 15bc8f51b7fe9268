#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "lanes/lines.h"

namespace lanewise::text::literals {

/// Finds lines that contain one of many words (Wu and Manber): a table of two-byte blocks says how far the
/// window may move on, and words that may end at it are compared. Immutable, shared freely between threads.
class WordFinder {
 public:
  static constexpr size_t kShortest = 2;  ///< bytes of each word

  /// No word is empty, shorter than kShortest, or holds a line's end.
  explicit WordFinder(std::vector<std::string> words);

  /// Appends the lines of text[0, size) that hold a word, in order. The text ends with `line_end`.
  void match_lines(const uint8_t* text, size_t size, char line_end, std::vector<lanes::Line>& lines) const;

 private:
  bool any_at(const uint8_t* text, size_t size, size_t begin) const;
  uint32_t hash(const uint8_t* head) const;

  std::vector<std::string> words_;  // by the hash of their first bytes
  size_t window_;                   // the shortest word, at most 8
  std::vector<uint8_t> shift_;      // by the two last bytes of the window
  std::vector<uint32_t> first_;     // by hash: the first of its words; one more at the end
  std::vector<uint64_t> heads_;     // a bit for each hash of all window bytes that some word begins with
};

}  // namespace lanewise::text::literals
