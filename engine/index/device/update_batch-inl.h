#pragma once

// Freestanding: this text is also compiled by NVRTC. No standard headers here.
//
// What becomes of the changes of a batch: their words in order, then additions, erasures, other values.

#include "index/device/update_job-inl.h"

namespace lanewise::index {

/// For each key of the batch: its word, and its row or, where there are `values`, its value of 4 bytes.
struct Encode {
  template <class Tree>
  static LANES_FN void run(const Tree& tree, const UpdateJob& job, u64 i) {
    array_at<typename Tree::Word>(job.words)[i] = key_at(tree, job.keys, i);
    array_at<u32>(job.rows)[i] = job.values == 0 ? u32(i) : array_at<const u32>(job.values)[i];
  }
};

/// For each change in order: what becomes of it. Where all are of one kind, a run of equal keys leaves what
/// its first insertion or its last upsertion does; of mixed ones the first one's lane looks at all.
struct Resolve {
  template <class Tree>
  static LANES_FN void run(const Tree& tree, const UpdateJob& job, u64 i) {
    using Word = typename Tree::Word;
    const Word* words = array_at<const Word>(job.words);
    const Word key = words[i];
    if (job.alterations != 0) {
      if (i == 0 || words[i - 1] != key) of_run(tree, job, i);
      return;
    }
    const bool upserts = job.alteration == Alteration::upsert;
    const bool acts = upserts ? i + 1 == job.count || words[i + 1] != key : i == 0 || words[i - 1] != key;
    const u64 place = acts ? place_of(tree, job, key) : 0;
    book(job, i, acts && place == 0 ? kAdds : 0, i, upserts ? place : 0);
  }

 private:
  static LANES_FN void book(const UpdateJob& job, u64 i, u32 fate, u64 valued, u64 place) {
    array_at<u8>(job.fates)[i] = u8(fate);
    array_at<u32>(job.chosen)[i] = u32(row_of(job.rows, valued));
    array_at<u64>(job.places)[i] = place;
  }

  /// Behind its last erasure a run of equal keys leaves: its first change, with the value of the last
  /// upsertion, and all other insertions where equal keys may be.
  template <class Tree>
  static LANES_FN void of_run(const Tree& tree, const UpdateJob& job, u64 first) {
    using Word = typename Tree::Word;
    const Word* words = array_at<const Word>(job.words);
    const auto kind = [&](u64 i) {
      return Alteration(array_at<const u8>(job.alterations)[row_of(job.rows, i)]);
    };
    constexpr u64 kNowhere = ~u64(0);
    u64 erasure = kNowhere, upsertion = kNowhere, behind = first;
    for (; behind < job.count && words[behind] == words[first]; behind++) {
      const Alteration here = kind(behind);
      if (here == Alteration::upsert) upsertion = behind;
      if (here == Alteration::erase) {
        erasure = behind;
        upsertion = kNowhere;
      }
    }
    const u64 place = erasure == kNowhere ? place_of(tree, job, words[first]) : 0;
    bool there = place != 0;
    for (u64 i = first; i < behind; i++) {
      u32 fate = 0;
      u64 valued = i;
      if (erasure != kNowhere && i <= erasure) {
        fate = i == erasure ? kErases : 0;
      } else if (!there) {
        fate = kAdds;
        there = true;
        if (upsertion != kNowhere) valued = upsertion;
      } else if (kind(i) == Alteration::insert && !job.unique) {
        fate = kAdds;
      }
      book(job, i, fate, valued, i == upsertion ? place : 0);
    }
  }

  /// The image's byte where the value of the key's first entry is; 0: there is none.
  template <class Tree>
  static LANES_FN u64 place_of(const Tree& tree, const UpdateJob& job, typename Tree::Word key) {
    using Word = typename Tree::Word;
    const u32* counts = array_at<const u32>(job.counts);
    u64 leaf = bound_in<false>(array_at<const Word>(job.lasts), 0, job.leaves, key);
    while (leaf < job.leaves && counts[leaf] == 0) leaf++;
    if (leaf == job.leaves) return 0;
    const u8* node = node_at(tree, array_at<const Ref>(job.refs)[leaf]);
    const Word* keys = keys_of<Word>(node, tree.leaf());
    const u64 slot = bound_in<false>(keys, 0, counts[leaf], key);
    if (slot == counts[leaf] || keys[slot] != key) return 0;
    return u64(node) - tree.data + tree.leaf().payload_at + slot * tree.leaf().payload_bytes;
  }
};

/// For each change in order.
struct Compact {
  template <class Tree>
  static LANES_FN Two value(const Tree&, const UpdateJob& job, u64 i) {
    const u32 fate = array_at<const u8>(job.fates)[i];
    return {u64((fate & kAdds) != 0), u64((fate & kErases) != 0)};
  }
  template <class Tree>
  static LANES_FN void put(const Tree&, const UpdateJob& job, u64 i, const Two& own, const Two& before) {
    using Word = typename Tree::Word;
    const Word word = array_at<const Word>(job.words)[i];
    if (own.a != 0) {
      array_at<Word>(job.added_words)[before.a] = word;
      array_at<u32>(job.added_rows)[before.a] = array_at<const u32>(job.chosen)[i];
    }
    if (own.b != 0) array_at<Word>(job.erased_words)[before.b] = word;
  }
  static LANES_FN void finish(const UpdateJob& job, const Two& all) {
    findings_of(job).added = all.a;
    findings_of(job).erased = all.b;
  }
};

/// For each change in order.
struct Override {
  template <class Tree>
  static LANES_FN void run(const Tree& tree, const UpdateJob& job, u64 i) {
    const u64 place = array_at<const u64>(job.places)[i];
    const u32 bytes = tree.leaf().payload_bytes;
    if (place == 0 || bytes == 0) return;
    const u8* from = array_at<const u8>(job.values) + row_of(job.rows, i) * bytes;
    if (bytes % 4 == 0) {
      auto* to = array_at<u32>(tree.data + place);
      for (u32 k = 0; k < bytes / 4; k++) to[k] = reinterpret_cast<const u32*>(from)[k];
    } else {
      auto* to = array_at<u8>(tree.data + place);
      for (u32 k = 0; k < bytes; k++) to[k] = from[k];
    }
    mark_changed(job, Ref(place / kLine));
  }
};

}  // namespace lanewise::index
