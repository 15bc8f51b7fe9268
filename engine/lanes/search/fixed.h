#pragma once

#include <string>

#include "lanes/search/fixed_targets.h"
#include "lanes/string_rows.h"

namespace lanewise::lanes {

/// Finds the rows that equal a text, or begin or end with it: rows as lanes, 8 bytes of each at a time,
/// without branches. A row whose length already decides is not read.
class FixedFinder {
 public:
  /// `target` must be supported here; every target is implemented: those without 8-byte lanes share the code
  /// of `scalar`.
  FixedFinder(Target target, std::string text, Place place);

  /// As RowMatcher::match.
  Target match(const StringRows& rows, const u64* active, u64* hits) const;

  const std::string& text() const { return text_; }
  Target target() const { return target_; }

 private:
  Target target_;
  std::string text_;
  FixedText head_;  // its first bytes
};

}  // namespace lanewise::lanes
