#pragma once

#include <cstddef>

#include "codegen/rows-inl.h"

namespace lanewise::codegen {

/// The meaning of a Job's words: first those that every kernel has, then those of columns, matches, probes
/// and outputs; constants come last.
class JobLayout {
 public:
  enum Word : size_t {
    kRows,
    kActive,
    kOut,
    kFault,
    kFirstRow,
    kList,
    kSlots,   // number of slots in a table of groups
    kProbes,  // number of slots that a search for a key may read
    kEvents,  // a GroupOutcome
    kDepth,   // bytes at the beginning of strings that a sort skips
    kRecords,
    kShift,  // see part_of()
    kFrom,   // the first row, if kList is null
    kHeap,   // memory for strings that the kernel makes
    kHeapBytes,
    kFirstWord,
    kQueue = kSlots,  // a PairQueue, in kernels without groups
    kRoom,            // of the queue
    kLeast,           // number of pairs for a row without a match
    kSteps            // LaneSteps, if they are counted
  };
  /// The words of a column: values (strings: bytes; dictionaries: codes), offsets, validity, and the bytes of
  /// a dictionary's entries.
  static constexpr size_t kColumnWords = 4;
  /// The words of a probe: the rows that it finds, and its JoinTable. Instead of a row, a mark join stores
  /// kMissOf if there is no match.
  enum ProbeWord : size_t {
    kFound,
    kLookupOf,  ///< the words of a kernel::Lookup
    kRunsOf = kLookupOf + 4,
    kOrderOf,
    kMarksOf,
    kMissOf,
    kRowsOf,
    kProbeWords
  };

  JobLayout(size_t columns, size_t matches, size_t probes, size_t outputs)
      : columns_(columns), matches_(matches), probes_(probes), outputs_(outputs) {}

  // First word of the column, match, probe, output or constant with this number.
  size_t column(size_t place) const { return kFirstWord + place * kColumnWords; }
  size_t match(size_t place) const { return column(columns_) + place; }
  /// ProbeWords follow. The place after the last probe is that of the input's rows.
  size_t probe(size_t place) const { return match(matches_) + kProbeWords * place; }
  /// The word of the output's values; that of its validity follows.
  size_t output(size_t place) const { return probe(probes_ == 0 ? 0 : probes_ + 1) + 2 * place; }
  /// Counted from the end, so that a filter's kernel does not depend on the rest of the query.
  size_t constant(size_t place) const { return size() - 1 - place; }

  /// The number of words without constants.
  size_t words() const { return output(outputs_); }
  /// Whether the larger Job is needed.
  bool is_wide() const { return words() > kernel::kJobWords; }
  size_t size() const { return is_wide() ? kernel::kMostJobWords : kernel::kJobWords; }

 private:
  size_t columns_, matches_, probes_, outputs_;
};

}  // namespace lanewise::codegen
