#pragma once

#include <bitset>
#include <cstdint>
#include <string_view>

#include "text/automaton/program.h"

namespace lanewise::text::captures {

/// Where a match can start: a cheap test that avoids most attempts.
struct StartCondition {
  explicit StartCondition(const automaton::Program& program);

  bool only_at_begin = false;    ///< every match starts at the beginning of the text
  bool may_be_empty = false;     ///< a match need not start with a byte
  std::bitset<256> first_bytes;  ///< bytes that a match may start with

  /// The first position at or after `from` where a match may start; npos if there is none.
  size_t next(std::string_view text, size_t from) const;
};

/// The assertions that hold at `position` of `text`; Unicode's only if `wanted` contains one.
uint16_t assertions_at(std::string_view text, size_t position, uint16_t wanted);

}  // namespace lanewise::text::captures
