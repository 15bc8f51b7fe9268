#pragma once

#include <cstddef>
#include <cstdint>

#include "text/unicode/case_runs-inl.h"

/// Data of the Unicode character database, written by tools/unicode_tables.py.
namespace lanewise::text::unicode {

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

/// The next code point that differs only in case (simple folding); repeating it leads back to the start.
extern const CaseRun kFoldCycle[];
extern const size_t kFoldCycleCount;

}  // namespace lanewise::text::unicode
