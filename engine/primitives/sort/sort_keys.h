#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "base/arena.h"
#include "data/vector.h"
#include "primitives/groups/key_words.h"

namespace lanewise {

/// How one key of a sort is ordered.
struct SortDirection {
  bool descending = false;
  bool nulls_first = false;
};

/// Size of a number's order word in bytes.
int order_bytes(Type type);

/// For types of at most 8 bytes: the word of a value (see KeyWords) as an unsigned number of
/// order_bytes(type) bytes with the same order. NaN is the greatest number.
uint64_t order_word(Type type, uint64_t word);

/// Encodes rows of sort keys as byte strings whose order, as unsigned bytes, is the order of the rows: per
/// key a byte for NULL, then the number in big-endian order, or the string with 00 written as 00 01
/// and ended by 00 00; all inverted if the key is descending.
class SortKeys {
 public:
  SortKeys(std::vector<Type> types, std::vector<SortDirection> directions);

  /// The keys of rows[0..count) as strings that live in `arena`; `keys` are the vectors' key words.
  void encode(std::span<const KeyWords> keys, std::span<const uint32_t> rows, Arena& arena,
              std::string_view* out) const;

  /// The size of all encoded rows, or 0 if it varies with strings.
  size_t fixed_size() const { return fixed_size_; }

 private:
  std::vector<Type> types_;
  std::vector<SortDirection> directions_;
  size_t fixed_size_ = 0;
};

}  // namespace lanewise
