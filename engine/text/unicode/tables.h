#pragma once

#include <cstddef>
#include <cstdint>

/// Data of the Unicode character database, written by tools/unicode_tables.py.
namespace lanewise::text::unicode {

/// Code points lo, lo + stride, ... hi each map to themselves plus delta. Delta 0 (stride 1) means that
/// neighbours swap: lo <-> lo + 1, lo + 2 <-> lo + 3, ... Sorted by lo, never overlapping.
struct CaseRun {
  uint32_t lo;
  uint32_t hi;
  int32_t stride;
  int32_t delta;
};

extern const char* const kVersion;

/// Runs cover all code points: start << 8 | index into the names; a run ends where the next one starts.
extern const uint32_t kCategoryRuns[];
extern const size_t kCategoryRunsCount;
extern const char* const kCategoryNames[];
extern const size_t kCategoryNamesCount;
extern const uint32_t kScriptRuns[];
extern const size_t kScriptRunsCount;
extern const char* const kScriptNames[];
extern const size_t kScriptNamesCount;

/// To the next code point that differs only in case (simple folding); following it leads back to the start.
extern const CaseRun kFoldCycle[];
extern const size_t kFoldCycleCount;
/// Simple mappings.
extern const CaseRun kToLower[];
extern const size_t kToLowerCount;
extern const CaseRun kToUpper[];
extern const size_t kToUpperCount;

}  // namespace lanewise::text::unicode
