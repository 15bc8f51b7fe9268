#pragma once

#include <cstdint>
#include <string>

#include "gpu/memory.h"
#include "gpu/sort/sort_plugin.h"

namespace lanewise::gpu {

/// Pairs of a key and a value, in two columns. A sort moves them between two places; see `place`.
struct SortPairs {
  cuda::Address keys[2];     ///< each of count × key_bytes
  cuda::Address values[2];   ///< each of count × value_bytes
  uint64_t count;            ///< below 2^32
  unsigned key_bytes;        ///< 4 or 8
  int place = 0;             ///< 0 or 1: where the pairs are
  unsigned value_bytes = 4;  ///< 4; with keys of 4 bytes also 8 or 16
};

/// Sorts in device memory, near the speed of the memory: CUB's radix sort, in a plug-in that is compiled
/// ahead and opened when it is needed. Thread-safe.
class Sorter {
 public:
  /// This machine's: LANEWISE_SORT if that is set, else lanewise_sort.so next to the program or in
  /// the lib folder next to its own.
  /// Throws DeviceError that says where it was looked for.
  static const Sorter& system();
  /// Opens `library`; system() is for everybody but tests.
  explicit Sorter(const std::string& library) : Sorter(std::vector<std::string>{library}) {}

  /// Puts the pairs into ascending order of the lowest `bits` bits of their keys (0: of all equal), in the
  /// order of `stream`; equal keys keep their order. pairs.place says at once where they will be. Scratch
  /// comes from `pool`. Throws MemoryError, DeviceError.
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
