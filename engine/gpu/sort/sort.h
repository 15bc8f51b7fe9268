#pragma once

#include <cstdint>
#include <string>

#include "gpu/memory.h"
#include "gpu/sort/sort_plugin.h"

namespace lanewise::gpu {

/// Pairs of a key and a value, in two columns. A sort moves them between two buffers; see `place`.
struct SortPairs {
  cuda::Address keys[2];     ///< each of count × key_bytes
  cuda::Address values[2];   ///< each of count × value_bytes
  uint64_t count;            ///< below 2^32
  unsigned key_bytes;        ///< 4 or 8
  int place = 0;             ///< 0 or 1: the buffer that has the pairs
  unsigned value_bytes = 4;  ///< 4; with keys of 4 bytes also 8 or 16
};

/// Sorts in device memory, near the speed of the memory: CUB's radix sort, in a plug-in that is compiled
/// ahead and opened on first use. Thread-safe.
class Sorter {
 public:
  /// This machine's plug-in: LANEWISE_SORT if set, else lanewise_sort.so next to the program or the library
  /// that calls it, or where an installation has it.
  /// Throws DeviceError that lists where it was searched for.
  static const Sorter& system();
  /// Opens `library`: for tests; others use system().
  explicit Sorter(const std::string& library) : Sorter(std::vector<std::string>{library}) {}

  /// Sorts the pairs in ascending order of the lowest `bits` bits of their keys (0: all), in the
  /// order of `stream`; the sort is stable. pairs.place says at once where they will be. Scratch
  /// memory comes from `pool`. Throws MemoryError, DeviceError.
  void sort(SortPairs& pairs, unsigned bits, DevicePool& pool, Stream& stream) const;

  /// The file.
  const std::string& name() const { return library_.name(); }

 private:
  explicit Sorter(const std::vector<std::string>& names);

  Library library_;
  int (*sort_32_)(SortJob*);
  int (*sort_64_)(SortJob*);
};

}  // namespace lanewise::gpu
