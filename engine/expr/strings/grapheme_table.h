#pragma once

#include <cstddef>
#include <cstdint>

/// Data of the Unicode character database, written by tools/grapheme_table.py.
namespace lanewise::expr {

/// What a code point means to its neighbours (Unicode standard annex 29). Hangul syllables are computed, not
/// listed.
enum class GraphemeClass : uint8_t {
  kOther,
  kCr,
  kLf,
  kControl,
  kExtend,
  kExtendAlone,  ///< kExtend that ends a chain of Indic consonants
  kLinker,       ///< kExtend that links Indic consonants
  kConsonant,    ///< of the scripts that have linkers
  kZwj,
  kSpacingMark,
  kPrepend,
  kPictograph,
  kRegional,
  kL,
  kV,
  kT,
  kLV,
  kLVT,
};

/// Code points from `start` to the next run's start.
struct GraphemeRun {
  uint32_t start;
  GraphemeClass type;
};

extern const GraphemeRun kGraphemeRuns[];
extern const size_t kGraphemeRunsCount;

}  // namespace lanewise::expr
