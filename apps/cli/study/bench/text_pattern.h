#pragma once

#include "lanes/string_rows.h"
#include "study/data/text_rows.h"
#include "text/pattern/pattern.h"

namespace lanewise::cli::bench {

/// The test of each row, `shape.test`, as the engine's pattern.
inline text::Pattern pattern_of(const TextShape& shape) {
  text::RegexOptions options;
  options.full_match = shape.test == RowTest::equality;
  const std::string needle = needle_of(shape);
  return text::compile_regex(shape.test == RowTest::prefix ? "^" + needle : needle, options);
}

inline lanes::StringRows view(const TextRows& text) {
  return {text.bytes.data(), text.offsets.data(), text.rows()};
}

}  // namespace lanewise::cli::bench
