#pragma once

// Freestanding: this text is also compiled by NVRTC. No standard headers here.
//
// Scans: each says what is summed up over items (`value`), what is done with the sum over the items before
// one
// (`put`), and with that over all (`finish`).

#include "index/gpu/update/update_job-inl.h"

namespace lanewise::index {

/// Neighbouring items of a lane in a scan of so many: few where that gives more groups, many where each group
/// would have to look at too many others' sums.
LANES_FN constexpr u32 scanned_of(u64 items) { return items < 1 << 22 ? 4 : 16; }

/// For each chunk of items, the first time over them.
template <class Scan>
struct Sums {
  template <class Tree, class Group>
  static LANES_FN void run(const Tree& tree, const Group& group, const UpdateJob& job, u64 chunk, u64 items) {
    const Two sum = group.sum([&](u32 lane) {
      const u64 first = (chunk * Group::width + lane) * scanned_of(items);
      Two mine;
      for (u64 i = first; i < first + scanned_of(items) && i < items; i++) mine += Scan::value(tree, job, i);
      return mine;
    });
    group.each([&](u32 lane) {
      if (lane == 0) array_at<Two>(job.sums)[chunk] = sum;
    });
  }
};

/// The second time.
template <class Scan>
struct Places {
  template <class Tree, class Group>
  static LANES_FN void run(const Tree& tree, const Group& group, const UpdateJob& job, u64 chunk, u64 items) {
    const Two* sums = array_at<const Two>(job.sums);
    Two before = group.sum([&](u32 lane) {
      Two mine;
      for (u64 i = lane; i < chunk; i += Group::width) mine += sums[i];
      return mine;
    });
    const u32 scanned = scanned_of(items);
    const auto first = [&](u32 lane) { return (chunk * Group::width + lane) * scanned; };
    const auto mine = [&](u32 lane) {
      Two sum;
      for (u64 i = first(lane); i < first(lane) + scanned && i < items; i++) sum += Scan::value(tree, job, i);
      return sum;
    };
    const Two here = group.prefix(mine, [&](u32 lane, const Two& in_chunk) {
      Two at = before;
      at += in_chunk;
      for (u64 i = first(lane); i < first(lane) + scanned && i < items; i++) {
        const Two own = Scan::value(tree, job, i);
        Scan::put(tree, job, i, own, at);
        at += own;
      }
    });
    before += here;
    group.each([&](u32 lane) {
      if (lane == 0 && (chunk + 1) * Group::width * scanned >= items) Scan::finish(job, before);
    });
  }
};

}  // namespace lanewise::index
