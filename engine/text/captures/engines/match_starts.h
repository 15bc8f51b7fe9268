#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "text/automaton/limits.h"
#include "text/automaton/table.h"

namespace lanewise::text::captures {

/// Finds where matches start by reading the text backwards: there the reversed pattern ends. One step per
/// byte, and no attempt at a position where nothing matches.
class MatchStarts {
 public:
  /// nullopt if the automaton would exceed the limits.
  static std::optional<MatchStarts> make(const syntax::Ast& ast, const Limits& limits);

  /// The first position at or after `from` where a match starts; npos if there is none.
  size_t first(std::string_view text, size_t from) const;
  /// Sets the bit of each position 0 .. text.size() where a match starts; `starts` has a word for each 64 of
  /// them, zeros.
  void all(std::string_view text, uint64_t* starts) const;

 private:
  explicit MatchStarts(const automaton::Table& table);

  template <class Found>
  void scan(std::string_view text, size_t from, const Found& found) const;

  std::array<uint8_t, 256> class_of_;
  std::vector<uint32_t> next_;  // a state is the index of its row
  uint32_t start_ = 0;
  uint32_t dead_ = 0;         // or the number after the last state
  uint32_t first_ended_ = 0;  // from this row on, a match has ended before the last byte
  std::vector<bool> at_end_;  // by state / classes: a match ends at the end of the text
  uint32_t classes_ = 0;
};

}  // namespace lanewise::text::captures
