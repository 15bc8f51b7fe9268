#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "study/data/random.h"

namespace lanewise::cli::bench {

/// The test of each row.
enum class RowTest { equality, prefix, regex };

/// The distribution of row lengths: 64 bytes; 8 to 120; 512 to 1,535 for one row in 64 and 8 to 40 for the
/// others; 8 to 1,024 by Zipf's law; or any fixed length.
struct Lengths {
  enum Kind { constant, uniform, skewed, zipf } kind = constant;
  uint64_t bytes = 64;  ///< of constant rows
  double exponent = 0;  ///< of zipf: a row of 7 + r bytes is drawn with weight r to the power of -exponent

  /// Reads "constant", "uniform", "skewed", "zipf:EXPONENT" or a number of bytes. Throws
  /// std::invalid_argument for anything else.
  static Lengths parse(const std::string& text);
};

/// Rows for one test with a stated share of matches and place of mismatch.
struct TextRows {
  std::vector<uint32_t> offsets;  ///< rows + 1
  std::vector<uint8_t> bytes;     ///< 64 more after the last row
  uint64_t matches;               ///< how many rows match

  uint64_t rows() const { return offsets.size() - 1; }
  uint64_t size() const { return offsets.back(); }
};

struct TextShape {
  RowTest test = RowTest::equality;
  Lengths lengths;
  double match = 1;       ///< percent of the rows
  int64_t mismatch = -1;  ///< the first byte in which rows differ from the constant; negative: random
  uint64_t rows = 0;
  uint64_t seed = 1;
};

/// The pattern of `shape.test`: for equality and prefix a constant over two letters, for regex the expression
/// of three digits and a letter.
std::string needle_of(const TextShape& shape);

/// Throws std::length_error if the rows would take 4 GiB or more.
TextRows make_text_rows(const TextShape& shape, const Checkpoint& checkpoint);

}  // namespace lanewise::cli::bench
