#pragma once

// Freestanding: this text is also compiled by NVRTC. No standard headers here.
//
// The levels above the leaves.

#include "index/gpu/update/update_keys-inl.h"

namespace lanewise::index {

/// For each node of a level, from the nodes of the one below.
struct Inner {
  template <class Tree, class Group>
  static LANES_FN void run(const Tree& tree, const Group& group, const UpdateJob& job, u64 i) {
    using Word = typename Tree::Word;
    const u64 first = share_of(job.nodes, job.parents, i);
    const u32 count = u32(share_of(job.nodes, job.parents, i + 1) - first);
    const NodeShape shape = tree.inner();
    const Ref ref = slot_at(job, job.inner_slots, job.first_slot + i);
    u8* node = node_at(tree, ref);
    const auto lasts = list_at(tree, job.node_lasts);
    const auto key_of = [&](u32 slot) {
      return slot + 1 < count ? first_word(lasts[first + slot]) : all_ones<Word>();
    };
    const u64 entries = group.sum([&](u32 lane) {
      Word* samples = reinterpret_cast<Word*>(node);
      Word* keys = reinterpret_cast<Word*>(node + shape.keys_at);
      for (u32 k = lane; k < shape.slots; k += Group::width) keys[k] = key_of(k);
      for (u32 k = lane; k < shape.sample_slots; k += Group::width) {
        const u32 slot = (k + 1) * shape.per_line();
        samples[k] = slot < shape.slots ? key_of(slot - 1) : all_ones<Word>();
      }
      if constexpr (Tree::kLong) {
        for (u32 k = lane; k + 1 < count; k += Group::width) {
          for (u32 plane = 1; plane < shape.planes; plane++)
            keys[plane * shape.slots + k] = lasts[first + k].word(plane);
        }
      }
      u64 all = 0;
      for (u32 k = lane; k < count; k += Group::width) {
        reinterpret_cast<Ref*>(node + shape.payload_at)[k] = array_at<const Ref>(job.node_refs)[first + k];
        const u64 below = array_at<const u64>(job.node_entries)[first + k];
        reinterpret_cast<u64*>(node + shape.entries_at)[k] = below;
        all += below;
      }
      return all;
    });
    group.each([&](u32 lane) {
      if (lane != 0) return;
      *reinterpret_cast<NodeTail*>(node + shape.tail_at) = {count, held(kInnerNodes), job.version};
      array_at<Ref>(job.parent_refs)[i] = ref;
      array_at<u64>(job.parent_entries)[i] = entries;
      put_key(tree, job.parent_lasts, i, lasts[first + count - 1]);
      mark_changed(job, ref);
    });
  }
};

}  // namespace lanewise::index
