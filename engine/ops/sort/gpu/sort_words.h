#pragma once

#include <optional>
#include <vector>

#include "plan/node.h"

namespace lanewise::ops {

/// Some bits of a row's sort keys, as a number: rows with less come first.
struct SortWord {
  enum class What {
    kNull,   ///< one bit: whether the value is there
    kValue,  ///< a value of up to 64 bits, as order_of() gives it
    kHigh,   ///< of a value of 128 bits
    kLow,
    kSize,  ///< of a string
  };
  struct Part {
    What what;
    size_t key;
    unsigned bits;
  };
  std::vector<Part> parts;     ///< most significant first
  std::optional<size_t> text;  ///< instead: the key whose strings are taken by 8 bytes, see text_word()
  unsigned bits = 0;           ///< of the number

  unsigned bytes() const { return bits <= 32 ? 4 : 8; }
};

/// The words of ORDER BY's keys, most significant first: sorted by the last one first, each time stably, rows
/// are in order. Throws expr::NotOnDevice.
std::vector<SortWord> sort_words(const std::vector<plan::SortKey>& keys,
                                 const std::vector<bool>& may_be_null);

}  // namespace lanewise::ops
