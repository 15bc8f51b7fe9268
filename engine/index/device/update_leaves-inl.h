#pragma once

// Freestanding: this text is also compiled by NVRTC. No standard headers here.
//
// Which changes go to which leaf, and which of its entries stay.

#include "index/device/update_job-inl.h"

namespace lanewise::index {

/// For each leaf. One without entries has the greatest key before it, or 0.
struct Leaves {
  template <class Tree>
  static LANES_FN void run(const Tree& tree, const UpdateJob& job, u64 i) {
    using Word = typename Tree::Word;
    const Ref* refs = array_at<const Ref>(job.refs);
    const auto count_of = [&](u64 leaf) { return tail_of(node_at(tree, refs[leaf]), tree.leaf()).count; };
    u32 count = count_of(i);
    array_at<u32>(job.counts)[i] = count;
    u64 filled = i;
    while (count == 0 && filled > 0) count = count_of(--filled);
    array_at<Word>(job.lasts)[i] =
        count == 0 ? Word(0) : keys_of<Word>(node_at(tree, refs[filled]), tree.leaf())[count - 1];
  }
};

/// For each leaf and one more. Additions go behind their equals: to the first leaf that has a greater key.
/// The first erasure that a leaf looks at may be the last key of the one before; what it looks at last is the
/// next one's first.
struct Slices {
  template <class Tree>
  static LANES_FN void run(const Tree&, const UpdateJob& job, u64 i) {
    const Findings& found = findings_of(job);
    cut<typename Tree::Word>(job, i, job.added_words, found.added, job.begins);
    if (job.erased_words != 0) {
      cut<typename Tree::Word>(job, i, job.erased_words, found.erased, job.erase_begins);
    }
  }

 private:
  template <class Word>
  static LANES_FN void cut(const UpdateJob& job, u64 i, u64 words, u64 count, u64 begins) {
    u64 begin = i == 0 ? 0 : count;
    if (i > 0 && i < job.leaves) {
      begin = bound_in<false>(array_at<const Word>(words), 0, count, array_at<const Word>(job.lasts)[i - 1]);
    }
    array_at<u32>(begins)[i] = u32(begin);
  }
};

/// For each kLooked leaves, where there are erasures: which entries stay, in words of 32 bits.
struct Keep {
  template <class Tree, class Group>
  static LANES_FN void run(const Tree& tree, const Group& group, const UpdateJob& job, u64 some) {
    const u64 behind = (some + 1) * kLooked < job.leaves ? (some + 1) * kLooked : job.leaves;
    for (u64 leaf = some * kLooked; leaf < behind; leaf++) look_at(tree, group, job, leaf);
  }

 private:
  template <class Tree, class Group>
  static LANES_FN void look_at(const Tree& tree, const Group& group, const UpdateJob& job, u64 leaf) {
    using Word = typename Tree::Word;
    static_assert(Group::width == 32);
    const u32* begins = array_at<const u32>(job.erase_begins);
    const Word* erased = array_at<const Word>(job.erased_words);
    const u64 first = begins[leaf];
    u64 behind = begins[leaf + 1];
    // The next leaf's first erasure may be of this one's last key.
    if (behind < findings_of(job).erased && erased[behind] == array_at<const Word>(job.lasts)[leaf]) behind++;
    if (first == behind) return;
    const u32 count = array_at<const u32>(job.counts)[leaf];
    const Word* keys = keys_of<Word>(node_at(tree, array_at<const Ref>(job.refs)[leaf]), tree.leaf());
    u32* keep = array_at<u32>(job.keep) + leaf * job.keep_words;
    constexpr u32 kAhead = 8;  // keys of a lane that are under way
    typename Group::template PerLane<Pack<Word, kAhead>> held;
    u32 kept = 0;
    for (u32 at = 0; at < count; at += 32 * kAhead) {
      group.each([&](u32 lane) {
        INDEX_UNROLL for (u32 i = 0; i < kAhead; i++) {
          const u32 slot = at + 32 * i + lane;
          held[lane].word[i] = slot < count ? keys[slot] : Word(0);
        }
      });
      INDEX_UNROLL for (u32 i = 0; i < kAhead; i++) {
        if (at + 32 * i >= count) continue;
        const u32 bits = group.bits([&](u32 lane) {
          const Word key = held[lane].word[i];
          const u64 place = bound_in<false>(erased, first, behind, key);
          return at + 32 * i + lane < count && (place == behind || erased[place] != key);
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
