#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "data/type.h"
#include "primitives/groups/key_words.h"

namespace lanewise {

/// Several narrow keys as one or two words, if their bits fit: equal rows without NULL have equal words.
class PackedKeys {
 public:
  /// How many words rows of these types fit into: 1 or 2 for integers, dates, times and booleans that are
  /// narrow enough, else 0.
  static int words(std::span<const Type> types);

  /// Types that fit.
  explicit PackedKeys(std::span<const Type> types);

  /// to[row] = word `word` of each of `rows` rows.
  void pack(std::span<const KeyWords> keys, size_t rows, int word, uint64_t* to) const;
  /// In which word a key is.
  int word_of(size_t key) const { return words_[key]; }
  /// A key's value in its lowest bits; those above them are unspecified.
  uint64_t value(uint64_t word, size_t key) const { return word >> shifts_[key]; }

 private:
  std::vector<int> words_, shifts_, bits_;  // by key
};

}  // namespace lanewise
