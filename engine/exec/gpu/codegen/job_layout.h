#pragma once

#include <cstddef>

#include "exec/gpu/codegen/rows-inl.h"

namespace lanewise::exec {

/// What the words of a Job are: some that every kernel has, then those of columns, matches, probes and
/// outputs; constants are the last ones.
class JobLayout {
 public:
  enum Word : size_t {
    kRows,
    kActive,
    kOut,
    kFault,
    kFirstRow,
    kList,
    kSlots,   // of a table of groups
    kProbes,  // of which so many are looked at for a key
    kEvents,  // a GroupOutcome
    kDepth,   // bytes of a string that a sort passes over
    kRecords,
    kShift,  // see part_of()
    kFrom,   // the first row, where there is no list
    kHeap,   // memory for strings that the kernel makes
    kHeapBytes,
    kFirstWord,
    kQueue = kSlots,  // a PairQueue, where there are no groups; its room; pairs of a row that finds no match
    kRoom,
    kLeast,
    kSteps  // LaneSteps, where they are counted
  };
  /// Of a column: its values (strings: bytes; dictionaries: codes), offsets, validity and a dictionary's
  /// bytes.
  static constexpr size_t kColumnWords = 4;
  /// The rows that a probe finds, and its JoinTable. A mark join finds kMissOf where there is no row, and
  /// kNullKeyOf for a NULL.
  enum ProbeWord : size_t {
    kFound,
    kLookupOf,  ///< the words of a kernel::Lookup
    kRunsOf = kLookupOf + 4,
    kOrderOf,
    kMarksOf,
    kMissOf,
    kNullKeyOf,
    kProbeWords
  };

  JobLayout(size_t columns, size_t matches, size_t probes, size_t outputs)
      : columns_(columns), matches_(matches), probes_(probes), outputs_(outputs) {}

  // By place among the columns, and so on.
  size_t column(size_t place) const { return kFirstWord + place * kColumnWords; }
  size_t match(size_t place) const { return column(columns_) + place; }
  /// Of ProbeWords. After the last probe: the input's rows.
  size_t probe(size_t place) const { return match(matches_) + kProbeWords * place; }
  /// Of its values; its validity follows.
  size_t output(size_t place) const { return probe(probes_ == 0 ? 0 : probes_ + 1) + 2 * place; }
  /// From the end, so that a filter's kernel is the same whatever else the query reads.
  size_t constant(size_t place) const { return size() - 1 - place; }

  /// Without constants.
  size_t words() const { return output(outputs_); }
  /// Whether it takes the larger Job.
  bool is_wide() const { return words() > kernel::kJobWords; }
  size_t size() const { return is_wide() ? kernel::kMostJobWords : kernel::kJobWords; }

 private:
  size_t columns_, matches_, probes_, outputs_;
};

}  // namespace lanewise::exec
