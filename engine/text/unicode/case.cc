#include "text/unicode/case.h"

#include <algorithm>
#include <iterator>

#include "text/unicode/tables.h"

namespace lanewise::text::unicode {
namespace {

char32_t apply(const CaseRun* runs, size_t count, char32_t c) {
  const CaseRun* run = std::partition_point(runs, runs + count, [c](const CaseRun& r) { return r.hi < c; });
  if (run == runs + count || c < run->lo || (c - run->lo) % run->stride != 0) return c;
  if (run->delta == 0) return (c - run->lo) % 2 == 0 ? c + 1 : c - 1;
  return c + run->delta;
}

}  // namespace

char32_t to_lower(char32_t c) { return apply(kToLower, std::size(kToLower), c); }
char32_t to_upper(char32_t c) { return apply(kToUpper, std::size(kToUpper), c); }
char32_t next_fold(char32_t c) { return apply(kFoldCycle, kFoldCycleCount, c); }

}  // namespace lanewise::text::unicode
