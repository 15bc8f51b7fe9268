#pragma once

// Freestanding: this text is also compiled by NVRTC. No standard headers here.
//
// What becomes of the changes of a batch: their words, then additions, erasures, other values.

#include "index/gpu/update/update_keys-inl.h"

namespace lanewise::index {

/// For each key of the batch: its words, and its row or, where there are `values`, its value of 4 bytes.
/// Where strings are their second words say already.
struct Encode {
  template <class Tree>
  static LANES_FN void run(const Tree& tree, const UpdateJob& job, u64 i) {
    if constexpr (Tree::kLong) {
      const u32 planes = tree.leaf().planes;
      u64* words = array_at<u64>(job.words) + i * planes;
      if (tree.text()) {
        const TextPiece text(tree.data, words[1]);
        words[0] = first_bytes(text.bytes, text.count);
      } else {
        for (u32 plane = 0; plane < planes; plane++)
          words[plane] = array_at<const u64>(job.keys)[i * planes + plane];
      }
    } else {
      array_at<typename Tree::Word>(job.words)[i] = key_at(tree, job.keys, i);
    }
    array_at<u32>(job.rows)[i] = job.values == 0 ? u32(i) : array_at<const u32>(job.values)[i];
  }
};

LANES_FN const u8* value_of(const UpdateJob& job, u32 bytes, u64 row) {
  return array_at<const u8>(job.values) + row * bytes;
}
LANES_FN int order_of_bytes(const u8* a, const u8* b, u32 bytes) {
  for (u32 i = 0; i < bytes; i++) {
    if (a[i] != b[i]) return a[i] < b[i] ? -1 : 1;
  }
  return 0;
}

/// Where the key's first entry is; false: there is none.
template <class Tree, class Key>
LANES_FN bool find_first(const Tree& tree, const UpdateJob& job, const Key& key, u64& leaf, u64& slot) {
  const u32* counts = array_at<const u32>(job.counts);
  leaf = bound_in<false>(list_at(tree, job.lasts), 0, job.leaves, key);
  while (leaf < job.leaves && counts[leaf] == 0) leaf++;
  if (leaf == job.leaves) return false;
  const auto keys = leaf_keys(tree, node_at(tree, array_at<const Ref>(job.refs)[leaf]));
  slot = bound_in<false>(keys, 0, counts[leaf], key);
  return slot < counts[leaf] && keys[slot] == key;
}

/// For each change in order: what becomes of it. Where all are of one kind, a run of equal keys leaves what
/// its first insertion or its last upsertion does; of mixed ones the first one's lane looks at all.
struct Resolve {
  template <class Tree>
  static LANES_FN void run(const Tree& tree, const UpdateJob& job, u64 i) {
    const auto keys = list_at(tree, job.words);
    const auto key = keys[i];
    if (job.alterations != 0) {
      if (i == 0 || keys[i - 1] != key) of_run(tree, job, i);
      return;
    }
    const bool upserts = job.alteration == Alteration::upsert;
    const bool acts = upserts ? i + 1 == job.count || keys[i + 1] != key : i == 0 || keys[i - 1] != key;
    const u64 place = acts ? place_of(tree, job, key) : 0;
    book(job, i, acts && place == 0 ? kAdds : 0, i, upserts ? place : 0);
  }

 private:
  static LANES_FN void book(const UpdateJob& job, u64 i, u32 fate, u64 valued, u64 place) {
    array_at<u8>(job.fates)[i] = u8(fate);
    array_at<u32>(job.chosen)[i] = u32(row_of(job.rows, valued));
    array_at<u64>(job.places)[i] = place;
  }

  /// After its last erasure a run of equal keys leaves: its first change, with the value of the last
  /// upsertion, and all other insertions where equal keys may be.
  template <class Tree>
  static LANES_FN void of_run(const Tree& tree, const UpdateJob& job, u64 first) {
    const auto keys = list_at(tree, job.words);
    const auto kind = [&](u64 i) {
      return Alteration(array_at<const u8>(job.alterations)[row_of(job.rows, i)]);
    };
    constexpr u64 kNowhere = ~u64(0);
    u64 erasure = kNowhere, upsertion = kNowhere, behind = first;
    for (; behind < job.count && keys[behind] == keys[first]; behind++) {
      const Alteration here = kind(behind);
      if (here == Alteration::upsert) upsertion = behind;
      if (here == Alteration::erase) {
        erasure = behind;
        upsertion = kNowhere;
      }
    }
    const u64 place = erasure == kNowhere ? place_of(tree, job, keys[first]) : 0;
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
  template <class Tree, class Key>
  static LANES_FN u64 place_of(const Tree& tree, const UpdateJob& job, const Key& key) {
    u64 leaf, slot;
    if (!find_first(tree, job, key, leaf, slot)) return 0;
    return u64(array_at<const Ref>(job.refs)[leaf]) * kLine + tree.leaf().payload_at +
           slot * tree.leaf().payload_bytes;
  }
};

/// For each erasure by key and value, in the order of both: which entry it takes. Of a run of equal keys the
/// first one's lane goes through the entries that have the key; what is found goes to the run's first places,
/// in the order of the entries. `chosen` counts, at the first of those with one value, how many have theirs.
struct Match {
  template <class Tree>
  static LANES_FN void run(const Tree& tree, const UpdateJob& job, u64 first) {
    const auto keys = list_at(tree, job.words);
    const auto key = keys[first];
    if (first > 0 && keys[first - 1] == key) return;
    u32* taken = array_at<u32>(job.chosen);
    u64 behind = first;
    for (; behind < job.count && keys[behind] == key; behind++) {
      array_at<u8>(job.fates)[behind] = 0;
      taken[behind] = 0;
    }
    u64 leaf, slot, found = first;
    if (!find_first(tree, job, key, leaf, slot)) return;
    const u32 bytes = tree.leaf().payload_bytes;
    for (; leaf < job.leaves; leaf++, slot = 0) {
      const u8* node = node_at(tree, array_at<const Ref>(job.refs)[leaf]);
      const auto entries = leaf_keys(tree, node);
      for (; slot < array_at<const u32>(job.counts)[leaf]; slot++) {
        if (entries[slot] != key) return;
        const u8* value = node + tree.leaf().payload_at + slot * bytes;
        const auto order = [&](u64 i) {
          return order_of_bytes(value_of(job, bytes, row_of(job.rows, i)), value, bytes);
        };
        u64 low = first, high = behind;
        while (low < high) {
          const u64 middle = (low + high) / 2;
          if (order(middle) < 0) {
            low = middle + 1;
          } else {
            high = middle;
          }
        }
        if (low == behind || low + taken[low] == behind || order(low + taken[low]) != 0) continue;
        taken[low]++;
        array_at<u8>(job.fates)[found] = kErases;
        array_at<u64>(job.matches)[found] = (leaf << 32) + slot;
        if (++found == behind) return;
      }
    }
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
  static LANES_FN void put(const Tree& tree, const UpdateJob& job, u64 i, const Two& own, const Two& before) {
    const auto key = list_at(tree, job.words)[i];
    if (own.a != 0) {
      put_key(tree, job.added_words, before.a, key);
      array_at<u32>(job.added_rows)[before.a] = array_at<const u32>(job.chosen)[i];
    }
    if (own.b == 0) return;
    if (job.erased_places != 0) {
      array_at<u64>(job.erased_places)[before.b] = array_at<const u64>(job.matches)[i];
    } else {
      put_key(tree, job.erased_words, before.b, key);
    }
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
    const u8* from = value_of(job, bytes, row_of(job.rows, i));
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
