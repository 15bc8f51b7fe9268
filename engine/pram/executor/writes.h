#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "base/memory.h"
#include "pram/executor/meta_machine.h"
#include "pram/executor/team.h"
#include "pram/machine/memory.h"
#include "pram/machine/options.h"
#include "pram/machine/scratch.h"
#include "pram/tree/tree.h"

namespace lanewise::pram {

/// Buffered writes of a kernel's processors to shared variables. Part i of its set has counts[i]
/// writers, starting at index i * kLanes.
struct Pending {
  struct Column {
    uint32_t variable = 0;
    std::unique_ptr<Word[]> cells;
    std::unique_ptr<Word[]> values;
    size_t size = 0;
  };
  std::vector<uint32_t> counts;
  std::unique_ptr<uint32_t[]> processors;

  /// Makes room for `parts` parts and a column for each of the variables.
  void resize(uint32_t parts, const std::vector<uint32_t>& variables);
  std::span<Column> columns() { return {held_.data(), used_}; }
  std::span<const Column> columns() const { return {held_.data(), used_}; }

 private:
  // Kept for the next kernel; not cleared, so that indexes without a writer are never touched.
  std::vector<Column> held_;
  size_t used_ = 0;
  size_t size_ = 0;  // of processors
};

/// Several threads may write one word of memory at the same time.
inline void store(Word& word, Word value) {
  std::atomic_ref<Word>(word).store(value, std::memory_order_relaxed);
}

/// Performs the buffered writes of kernels.
class Writer {
 public:
  Writer(const Tree& tree, Memory& memory, const Options& options, const Team& team);

  /// For cells with one writer, for writers of equal values, or if any writer may win.
  void write(const Pending& pending);
  /// Follows the program's mode. Throws Failed if combined values overflow.
  void resolve(const Pending& pending);
  /// Throws Failed if the mode forbids the buffered writes.
  void check_exclusive(const Pending& pending);
  /// The same for mode `common`, after writing.
  void check_common(const Pending& pending) const;

 private:
  template <class F>
  void for_all(const Pending& pending, F f) const;
  template <class V, class M>
  void gather(const Pending& pending, V value, M merge);
  void reserve(const Pending& pending, Word empty);
  void clear(const Pending& pending, Word empty);
  uint64_t rank(uint32_t processor) const;
  void claim(const Pending& pending);
  void combine_quickly(const Pending& pending);
  void combine_in_order(const Pending& pending);
  bool may_overflow(const Pending& pending) const;

  const Tree& tree_;
  Memory& memory_;
  const Options& options_;
  const Team& team_;
  /// By variable and cell, empty between kernels: the best rank of its writers, or their combined values.
  std::vector<std::vector<Word>> gathered_;
  Reservation reservation_;
};

}  // namespace lanewise::pram
