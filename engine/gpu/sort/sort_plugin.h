#pragma once

#include <cstddef>
#include <cstdint>

/// The C interface of the plug-in that sorts on a GPU: `lanewise_sort.so`, compiled ahead by nvcc from
/// sort_plugin.cu, opened at run time by sort.cc.
namespace lanewise::gpu {

inline constexpr int kSortPluginVersion = 2;  ///< of this interface; a program takes no other

/// Pairs to be sorted. Addresses are those of a device.
struct SortJob {
  void* keys[2];         ///< two places of the same size: one holds the pairs, the other is free
  void* values[2];       ///< likewise
  int value_bytes;       ///< of each: 4; with keys of 32 bits also 8 or 16
  uint32_t count;        ///< of pairs
  int bits;              ///< of a key that count: the lowest
  int place;             ///< 0 or 1: where the pairs are, before and after
  void* scratch;         ///< null: only scratch_bytes is set
  size_t scratch_bytes;  ///< what else the sort needs
  void* stream;          ///< of the driver
};

extern "C" {
/// kSortPluginVersion of the plug-in.
int lanewise_sort_version();
/// Puts the pairs into ascending order of their keys, of 32 or 64 bits; equal keys keep their order. Returns
/// at once with an error of the driver, 0: none; the stream's context must be the thread's. Values of a size
/// that is not offered: an error.
int lanewise_sort_pairs_32(SortJob* job);
int lanewise_sort_pairs_64(SortJob* job);
}

}  // namespace lanewise::gpu
