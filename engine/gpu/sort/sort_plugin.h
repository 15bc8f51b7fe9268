#pragma once

#include <cstddef>
#include <cstdint>

/// The C interface of the plug-in that sorts on a GPU: `lanewise_sort.so`, compiled ahead by nvcc from
/// sort_plugin.cu, opened at run time by sort.cc.
namespace lanewise::gpu {

inline constexpr int kSortPluginVersion = 2;  ///< version of this interface; a program accepts no other

/// Pairs to be sorted. Addresses are in device memory.
struct SortJob {
  void* keys[2];         ///< two buffers of the same size: one holds the pairs, the other is free
  void* values[2];       ///< likewise
  int value_bytes;       ///< bytes of a value: 4; with keys of 32 bits also 8 or 16
  uint32_t count;        ///< of pairs
  int bits;              ///< the number of lowest bits of a key to sort by
  int place;             ///< 0 or 1: the buffer that has the pairs, before and after
  void* scratch;         ///< null: only compute scratch_bytes
  size_t scratch_bytes;  ///< size of the scratch memory
  void* stream;          ///< stream of the driver
};

extern "C" {
/// Returns the plug-in's kSortPluginVersion.
int lanewise_sort_version();
/// Sorts the pairs in ascending order of their keys, of 32 or 64 bits; the sort is stable. Returns
/// at once with an error of the driver, or 0; the stream's context must be current. An unsupported size
/// of values is an error.
int lanewise_sort_pairs_32(SortJob* job);
int lanewise_sort_pairs_64(SortJob* job);
}

}  // namespace lanewise::gpu
