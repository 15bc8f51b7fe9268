#pragma once

// Freestanding: this text is also compiled by NVRTC. No standard headers here.
//
// Which changes go to which leaf, and which of its entries stay.

#include "index/gpu/update/update_keys-inl.h"

namespace lanewise::index {

/// For each leaf. One without entries has the greatest key before it, or 0.
struct Leaves {
  template <class Tree>
  static LANES_FN void run(const Tree& tree, const UpdateJob& job, u64 i) {
    const Ref* refs = array_at<const Ref>(job.refs);
    const auto count_of = [&](u64 leaf) { return tail_of(node_at(tree, refs[leaf]), tree.leaf()).count; };
    u32 count = count_of(i);
    array_at<u32>(job.counts)[i] = count;
    u64 filled = i;
    while (count == 0 && filled > 0) count = count_of(--filled);
    if (count == 0) {
      put_lowest_key(tree, job.lasts, i);
    } else {
      put_key(tree, job.lasts, i, leaf_keys(tree, node_at(tree, refs[filled]))[count - 1]);
    }
  }
};

/// For each leaf and one more. Additions go after their equals: to the first leaf that has a greater key.
/// The first erasure that a leaf looks at may be the last key of the one before; what it looks at last is the
/// next one's first. Erasures that name places go to theirs.
struct Slices {
  template <class Tree>
  static LANES_FN void run(const Tree& tree, const UpdateJob& job, u64 i) {
    const Findings& found = findings_of(job);
    cut(tree, job, i, job.added_words, found.added, job.begins);
    if (job.erased_words != 0) cut(tree, job, i, job.erased_words, found.erased, job.erase_begins);
    if (job.erased_places != 0) {
      const u64* places = array_at<const u64>(job.erased_places);
      array_at<u32>(job.erase_begins)[i] = u32(bound_in<false>(places, 0, found.erased, i << 32));
    }
  }

 private:
  template <class Tree>
  static LANES_FN void cut(const Tree& tree, const UpdateJob& job, u64 i, u64 words, u64 count, u64 begins) {
    u64 begin = i == 0 ? 0 : count;
    if (i > 0 && i < job.leaves) {
      begin = bound_in<false>(list_at(tree, words), 0, count, list_at(tree, job.lasts)[i - 1]);
    }
    array_at<u32>(begins)[i] = u32(begin);
  }
};

/// For each kLooked leaves, where there are erasures: which entries stay, in words of 32 bits.
struct Keep {
  template <class Tree, class Group>
  static LANES_FN void run(const Tree& tree, const Group& group, const UpdateJob& job, u64 some) {
    const u64 behind = (some + 1) * kLooked < job.leaves ? (some + 1) * kLooked : job.leaves;
    for (u64 leaf = some * kLooked; leaf < behind; leaf++) {
      const u32* begins = array_at<const u32>(job.erase_begins);
      const u64 first = begins[leaf], last = begins[leaf + 1];
      const auto keys = leaf_keys(tree, node_at(tree, array_at<const Ref>(job.refs)[leaf]));
      if (job.erased_places != 0) {
        const auto place = [&](u32 slot) { return (leaf << 32) + slot; };
        look_at(group, job, leaf, array_at<const u64>(job.erased_places), first, last, place);
      } else {
        const auto erased = list_at(tree, job.erased_words);
        // The next leaf's first erasure may be of this one's last key.
        const bool one_more =
            last < findings_of(job).erased && erased[last] == list_at(tree, job.lasts)[leaf];
        const auto key = [&](u32 slot) { return keys[slot]; };
        look_at(group, job, leaf, erased, first, last + (one_more ? 1 : 0), key);
      }
    }
  }

 private:
  /// Entries go whose name is among the erased ones `[first, behind)`.
  template <class Group, class Erased, class Name>
  static LANES_FN void look_at(const Group& group, const UpdateJob& job, u64 leaf, const Erased& erased,
                               u64 first, u64 behind, const Name& name) {
    static_assert(Group::width == 32);
    if (first == behind) return;
    const u32 count = array_at<const u32>(job.counts)[leaf];
    u32* keep = array_at<u32>(job.keep) + leaf * job.keep_words;
    constexpr u32 kAhead = 8;  // keys of a lane that are under way
    struct Held {
      decltype(name(0)) names[kAhead];
    };
    typename Group::template PerLane<Held> held;
    u32 kept = 0;
    for (u32 at = 0; at < count; at += 32 * kAhead) {
      group.each([&](u32 lane) {
        INDEX_UNROLL for (u32 i = 0; i < kAhead; i++) {
          const u32 slot = at + 32 * i + lane;
          held[lane].names[i] = name(slot < count ? slot : 0);
        }
      });
      INDEX_UNROLL for (u32 i = 0; i < kAhead; i++) {
        if (at + 32 * i >= count) continue;
        const u32 bits = group.bits([&](u32 lane) {
          if (at + 32 * i + lane >= count) return false;
          const auto& mine = held[lane].names[i];
          const u64 place = bound_in<false>(erased, first, behind, mine);
          return place == behind || erased[place] != mine;
        });
        kept += lanes::count_bits(bits);
        group.each([&](u32 lane) {
          if (lane == 0) keep[at / 32 + i] = bits;
        });
      }
    }
    group.each([&](u32 lane) {
      if (lane == 0) array_at<u32>(job.counts)[leaf] = kept;
    });
  }
};

}  // namespace lanewise::index
