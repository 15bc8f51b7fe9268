#pragma once

// Freestanding: this text is also compiled by NVRTC. No standard headers here.
//
// The order of a batch whose keys are not words that are sorted as numbers.

#include "index/gpu/update/update_batch-inl.h"

namespace lanewise::index {

/// For each row: its place once its run of rows that are in order and the neighbouring one are merged.
struct Merge {
  template <class Tree>
  static LANES_FN void run(const Tree& tree, const UpdateJob& job, u64 i) {
    const u32* rows = array_at<const u32>(job.rows);
    const auto least = [&](u64 place) { return place < job.count ? place : job.count; };
    const u64 begin = i - i % (2 * u64(job.run)), middle = least(begin + job.run);
    const bool left = i < middle;
    const u64 other = left ? middle : begin;
    u64 low = other, high = left ? least(middle + job.run) : middle;
    while (low < high) {
      const u64 at = (low + high) / 2;
      const int order = order_of(tree, job, rows[at], rows[i]);
      if (left ? order < 0 : order <= 0) {
        low = at + 1;
      } else {
        high = at;
      }
    }
    array_at<u32>(job.merged)[i + (low - other) - (left ? 0 : middle - begin)] = rows[i];
  }

 private:
  template <class Tree>
  static LANES_FN int order_of(const Tree& tree, const UpdateJob& job, u32 a, u32 b) {
    const auto keys = list_at(tree, job.words);
    const auto left = keys[a], right = keys[b];
    if (left != right) return left < right ? -1 : 1;
    if (!job.by_value) return 0;
    const u32 bytes = tree.leaf().payload_bytes;
    return order_of_bytes(value_of(job, bytes, a), value_of(job, bytes, b), bytes);
  }
};

/// For each place in order: its key.
struct Arrange {
  template <class Tree>
  static LANES_FN void run(const Tree& tree, const UpdateJob& job, u64 i) {
    put_key(tree, job.merged, i, list_at(tree, job.words)[array_at<const u32>(job.rows)[i]]);
  }
};

}  // namespace lanewise::index
