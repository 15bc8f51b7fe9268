#pragma once

// Freestanding: this text is also compiled by NVRTC. No standard headers here.
//
// Slots: which are in use, which are free, and new groups of them.

#include "index/gpu/update/update_job-inl.h"

namespace lanewise::index {

/// For each leaf.
struct MarkUsed {
  template <class Tree>
  static LANES_FN void run(const Tree&, const UpdateJob& job, u64 i) {
    array_at<u8>(job.used)[number_of(job, job.leaf_slots, array_at<const Ref>(job.refs)[i])] = 1;
  }
};

/// For each slot of a leaf.
struct FreeSlot {
  template <class Tree>
  static LANES_FN Two value(const Tree&, const UpdateJob& job, u64 i) {
    return {u64(array_at<const u8>(job.used)[i] == 0), 0};
  }
  template <class Tree>
  static LANES_FN void put(const Tree&, const UpdateJob& job, u64 i, const Two& own, const Two& before) {
    if (own.a == 0 || before.a >= job.free_wanted) return;
    array_at<Ref>(job.free_refs)[before.a] = slot_at(job, job.leaf_slots, i);
  }
  static LANES_FN void finish(const UpdateJob& job, const Two& all) { findings_of(job).free = all.a; }
};

/// For each new group, which its size class already counts; `first_slot` is the number of the first group.
struct NewGroups {
  template <class Tree>
  static LANES_FN void run(const Tree& tree, const UpdateJob& job, u64 i) {
    const u64 group = job.first_slot + i, behind = (group + 1) << job.group_shift;
    reinterpret_cast<Trailer*>(tree.data + behind - sizeof(Trailer))->slot_class = job.slot_class;
    array_at<u8>(job.changed)[group] = 1;
  }
};

/// For each free slot: what it holds in the host's list of them.
struct Link {
  template <class Tree>
  static LANES_FN void run(const Tree& tree, const UpdateJob& job, u64 i) {
    const bool leaves = job.slot_class == kLeaves;
    const auto slot = [&](u64 k) {
      return leaves ? array_at<const Ref>(job.free_refs)[k]
                    : slot_at(job, job.inner_slots, job.first_slot + k);
    };
    const Ref ref = slot(i);
    u8* node = node_at(tree, ref);
    *reinterpret_cast<u64*>(node) = i + 1 < job.free_wanted ? u64(slot(i + 1)) * kLine : 0;
    const u32 tail_at = leaves ? tree.leaf().tail_at : tree.inner().tail_at;
    reinterpret_cast<NodeTail*>(node + tail_at)->holds = 0;
    mark_changed(job, ref);
  }
};

}  // namespace lanewise::index
