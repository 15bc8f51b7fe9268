#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/cancel.h"
#include "text/pattern.h"
#include "text/string_rows.h"

namespace lanewise::cli::bench {

/// What is asked of each row.
enum class RowTest { equality, prefix, regex };

/// How long rows are: 64 bytes; 8 to 120; one row in 64 of 512 to 1,535 and the others 8 to 40; or any one
/// length.
struct Lengths {
  enum Kind { constant, uniform, skewed } kind = constant;
  uint64_t bytes = 64;  ///< of constant rows

  /// Reads "constant", "uniform", "skewed" or a number of bytes. Throws UserError for anything else.
  static Lengths parse(const std::string& text);
};

/// Rows for one test with a stated share of matches and place of mismatch.
struct TextRows {
  std::string pattern;            ///< for people
  std::vector<uint32_t> offsets;  ///< rows + 1
  std::vector<uint8_t> bytes;     ///< 64 more behind the last row
  uint64_t matches;               ///< how many rows match

  uint64_t rows() const { return offsets.size() - 1; }
  uint64_t size() const { return offsets.back(); }
  text::StringRows view() const { return {bytes.data(), offsets.data(), rows()}; }
};

struct TextShape {
  RowTest test = RowTest::equality;
  Lengths lengths;
  double match = 1;       ///< percent of the rows
  int64_t mismatch = -1;  ///< rows differ from the constant first at this byte; negative: at any, drawn
  uint64_t rows = 0;
  uint64_t seed = 1;
};

/// What `shape.test` looks for: for equality and prefix a constant over two letters, for regex three digits
/// and a letter.
std::string needle_of(const TextShape& shape);
text::Pattern pattern_of(const TextShape& shape);

/// Throws UserError where the rows would take 4 GiB or more.
TextRows make_text_rows(const TextShape& shape, const Cancellation& cancellation);

}  // namespace lanewise::cli::bench
