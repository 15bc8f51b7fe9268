#pragma once

// Freestanding: this text is also compiled by NVRTC. No standard headers here.
//
// How a batch of changes is merged into a tree in memory of a device, step by step; written once. All that is
// done is proportional to the batch, to the leaves that it touches and, lightly, to the number of leaves:
//
//   Encode, a sort         the batch's keys as words in order, each with its row
//   Leaves                 what each leaf holds, and its greatest key
//   Resolve, Compact       what becomes of each change: an addition, an erasure, another value
//   Slices, Keep           which additions go to which leaf; which of its entries stay
//   Runs, Parts            leaves that would be less than half full form a run with the leaf behind them,
//   each
//                          other leaf is a run of its own; how many leaves each run is to become
//   Outputs, Override,     the first leaf of a run is written in its place, after the others, that go to free
//   Produce                slots
//   Inner                  the levels above, all anew
//
// A step is done for each item by a lane, or by a Group: see search-inl.h; besides it offers
//   sync()                  what its lanes have written is seen by all of them
//   PerLane<T>              a T for each lane, named by the lane
//   bits(f)                 of 32 lanes: a bit for each where f(lane) is true
//   prefix(value, with)     with(lane, sum of value(lane) over the lanes before), returns the sum over all

#include "index/device/search-inl.h"
#include "index/format.h"

namespace lanewise::index {

/// What a change does to its key; as Index::Change.
enum class Alteration : u32 { insert, upsert, erase };

/// Two sums at once.
struct Two {
  u64 a = 0, b = 0;

  LANES_FN Two& operator+=(const Two& other) {
    a += other.a;
    b += other.b;
    return *this;
  }
};

/// What is found out on the way, in the device's memory.
struct Findings {
  u64 added = 0;    ///< additions
  u64 erased = 0;   ///< erasures
  u64 runs = 0;     ///< of leaves
  u64 entries = 0;  ///< of the tree, in the end
  u64 outputs = 0;  ///< leaves, in the end
  u64 fresh = 0;    ///< of them those in slots that were free
  u64 free = 0;     ///< slots of leaves
};

/// A leaf that is to be.
struct Output {
  u64 rank;      ///< of its first entry
  u32 count;     ///< its entries
  u32 leaf;      ///< the old leaf that its first entry belongs to
  u32 leaf_end;  ///< behind the last old leaf of its run
  Ref ref;
  u32 in_place;  ///< where an old leaf of its run was
  u32 changed;
};

/// Where the slots of a class are: the numbers of its groups, u32.
struct Slots {
  u64 groups = 0;
  u32 per_group = 0;
  u32 bytes = 0;
};

/// What steps work on; addresses, unless said otherwise.
struct UpdateJob {
  // The image.
  u32 group_shift = 0;  ///< a group has 1 << group_shift bytes
  u32 slot_class = 0;   ///< of new groups
  u64 version = 0;
  Slots leaf_slots, inner_slots;
  u64 order_of = 0;  ///< u32 of each group: its place among those of its class
  u64 changed = 0;   ///< u8 of each group: it is no longer what the host has

  // The batch.
  u64 count = 0;  ///< of keys
  u64 keys = 0, values = 0;
  u64 alterations = 0;  ///< u8 of each row; 0: all are `alteration`
  Alteration alteration = Alteration::insert;
  u32 unique = 0;
  u64 words = 0;   ///< of the keys in order
  u64 rows = 0;    ///< u32 of each: where its value is; 0: values are in the order of the words
  u64 fates = 0;   ///< u8 of each: what becomes of it
  u64 chosen = 0;  ///< u32 of each: the row whose value an addition takes
  u64 places = 0;  ///< u64 of each: the image's byte where a value is to be replaced; 0: nowhere
  u64 added_words = 0, added_rows = 0;  ///< as words and rows
  u64 erased_words = 0;

  // The tree's leaves, in order.
  u64 leaves = 0;  ///< how many
  u64 refs = 0;
  u64 lasts = 0;                     ///< words: no key of the leaf, or of one before it, is above
  u64 counts = 0;                    ///< u32: entries that stay
  u64 keep = 0;                      ///< bits of the entries that stay, where some do not
  u32 keep_words = 0;                ///< u32 for each leaf
  u32 least = 0, per_leaf = 0;       ///< entries of a leaf: see Geometry; where leaves are filled
  u64 begins = 0, erase_begins = 0;  ///< u32 for each leaf and one more: of additions, erasures
  u64 ranks = 0;                     ///< u64 likewise: of entries
  u64 runs = 0;                      ///< u32: first leaf of each run and one more
  u64 first_outputs = 0;             ///< u32: outputs before each run, and one more
  u64 filled = 0;                    ///< u32: runs with outputs before each run
  u64 sums = 0;                      ///< Two of each chunk of a scan
  u64 findings = 0;

  // What becomes of them.
  u64 used = 0;         ///< u8 of each slot
  u64 free_refs = 0;    ///< of slots that are free
  u64 free_wanted = 0;  ///< so many of them
  u64 outputs = 0;
  u32 in_place = 0;  ///< whether outputs in place are written, or the others

  // A level of nodes: from the one below, of `nodes`.
  u64 nodes = 0;
  u64 node_refs = 0, node_entries = 0, node_lasts = 0;
  u64 parents = 0;  ///< how many nodes the level gets
  u64 parent_refs = 0, parent_entries = 0, parent_lasts = 0;
  u64 first_slot = 0;  ///< of inner nodes
};

/// What becomes of a change.
constexpr u32 kAdds = 1, kErases = 2;

template <class T>
LANES_FN T* array_at(u64 address) {
  return reinterpret_cast<T*>(address);
}
LANES_FN u64 row_of(u64 rows, u64 i) { return rows == 0 ? i : array_at<const u32>(rows)[i]; }
LANES_FN Findings& findings_of(const UpdateJob& job) { return *array_at<Findings>(job.findings); }

/// The first place of [first, behind) whose word is not below the key; with `above`: is above it.
template <bool above, class Word>
LANES_FN u64 bound_in(const Word* words, u64 first, u64 behind, Word key) {
  while (first < behind) {
    const u64 middle = (first + behind) / 2;
    if (above ? !(key < words[middle]) : words[middle] < key) {
      first = middle + 1;
    } else {
      behind = middle;
    }
  }
  return first;
}

/// Of `all` things shared evenly by `parts`: the first one that is not the share of a part before `part`.
LANES_FN u64 share_of(u64 all, u64 parts, u64 part) {
  return all / parts * part + all % parts * part / parts;
}

LANES_FN void mark_changed(const UpdateJob& job, Ref ref) {
  array_at<u8>(job.changed)[u64(ref) * kLine >> job.group_shift] = 1;
}
LANES_FN Ref slot_at(const UpdateJob& job, const Slots& slots, u64 number) {
  const u64 group = array_at<const u32>(slots.groups)[number / slots.per_group];
  return Ref(((group << job.group_shift) + number % slots.per_group * slots.bytes) / kLine);
}
LANES_FN u64 number_of(const UpdateJob& job, const Slots& slots, Ref ref) {
  const u64 at = u64(ref) * kLine, group = at >> job.group_shift;
  return u64(array_at<const u32>(job.order_of)[group]) * slots.per_group +
         (at - (group << job.group_shift)) / slots.bytes;
}

// Steps of a lane for each item.

/// For each key of the batch: its word, and its row or, where there are `values`, its value of 4 bytes.
struct Encode {
  template <class Tree>
  static LANES_FN void run(const Tree& tree, const UpdateJob& job, u64 i) {
    array_at<typename Tree::Word>(job.words)[i] = key_at(tree, job.keys, i);
    array_at<u32>(job.rows)[i] = job.values == 0 ? u32(i) : array_at<const u32>(job.values)[i];
  }
};

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

/// For each leaf.
struct MarkUsed {
  template <class Tree>
  static LANES_FN void run(const Tree&, const UpdateJob& job, u64 i) {
    array_at<u8>(job.used)[number_of(job, job.leaf_slots, array_at<const Ref>(job.refs)[i])] = 1;
  }
};

/// For each leaf that is to be.
struct Outputs {
  template <class Tree>
  static LANES_FN void run(const Tree& tree, const UpdateJob& job, u64 o) {
    using Word = typename Tree::Word;
    const u64 runs = findings_of(job).runs;
    const u32* first_outputs = array_at<const u32>(job.first_outputs);
    const u64 in = bound_in<true>(first_outputs, 0, runs, u32(o)) - 1;
    const u64 part = o - first_outputs[in], parts = first_outputs[in + 1] - first_outputs[in];
    const u32 first = array_at<const u32>(job.runs)[in], behind = array_at<const u32>(job.runs)[in + 1];
    const u64* ranks = array_at<const u64>(job.ranks);
    const u64 all = ranks[behind] - ranks[first];
    Output output;
    output.rank = ranks[first] + share_of(all, parts, part);
    output.count = u32(ranks[first] + share_of(all, parts, part + 1) - output.rank);
    output.leaf = all == 0 ? first : u32(bound_in<true>(ranks, first, behind, output.rank) - 1);
    output.leaf_end = behind;
    output.in_place = part == 0;
    output.ref = part == 0 ? array_at<const Ref>(job.refs)[first]
                           : array_at<const Ref>(job.free_refs)[o - array_at<const u32>(job.filled)[in] - 1];
    const u32* begins = array_at<const u32>(job.begins);
    output.changed =
        parts > 1 || behind - first > 1 || begins[first] != begins[behind] ||
        array_at<const u32>(job.counts)[first] != tail_of(node_at(tree, output.ref), tree.leaf()).count;
    if (!output.changed) array_at<Word>(job.node_lasts)[o] = array_at<const Word>(job.lasts)[first];
    array_at<Output>(job.outputs)[o] = output;
    array_at<Ref>(job.node_refs)[o] = output.ref;
    array_at<u64>(job.node_entries)[o] = output.count;
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

/// For each new group, of which the class knows already; `first_slot` is the number of the first one.
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

// Scans: each says what is summed up, and what is done with the sum over the items before one, and over all.

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

/// For each leaf.
struct Runs {
  static LANES_FN u64 entries(const UpdateJob& job, u64 i) {
    const u32* begins = array_at<const u32>(job.begins);
    return u64(array_at<const u32>(job.counts)[i]) + begins[i + 1] - begins[i];
  }
  template <class Tree>
  static LANES_FN Two value(const Tree&, const UpdateJob& job, u64 i) {
    return {entries(job, i), u64(i == 0 || entries(job, i - 1) >= job.least)};
  }
  template <class Tree>
  static LANES_FN void put(const Tree&, const UpdateJob& job, u64 i, const Two& own, const Two& before) {
    array_at<u64>(job.ranks)[i] = before.a;
    if (own.b != 0) array_at<u32>(job.runs)[before.b] = u32(i);
  }
  static LANES_FN void finish(const UpdateJob& job, const Two& all) {
    array_at<u64>(job.ranks)[job.leaves] = all.a;
    array_at<u32>(job.runs)[all.b] = u32(job.leaves);
    findings_of(job).entries = all.a;
    findings_of(job).runs = all.b;
  }
};

/// For each leaf, which stands for the run of its number.
struct Parts {
  template <class Tree>
  static LANES_FN Two value(const Tree& tree, const UpdateJob& job, u64 i) {
    const Findings& found = findings_of(job);
    if (i >= found.runs) return {};
    const u32* runs = array_at<const u32>(job.runs);
    const u64* ranks = array_at<const u64>(job.ranks);
    const u64 entries = ranks[runs[i + 1]] - ranks[runs[i]];
    u64 parts = entries <= tree.leaf().most ? 1 : (entries + job.per_leaf - 1) / job.per_leaf;
    if (entries == 0 && (found.entries != 0 || i != 0)) parts = 0;  // A tree has a leaf at least.
    return {parts, u64(parts != 0)};
  }
  template <class Tree>
  static LANES_FN void put(const Tree&, const UpdateJob& job, u64 i, const Two&, const Two& before) {
    array_at<u32>(job.first_outputs)[i] = u32(before.a);
    array_at<u32>(job.filled)[i] = u32(before.b);
  }
  static LANES_FN void finish(const UpdateJob& job, const Two& all) {
    array_at<u32>(job.first_outputs)[job.leaves] = u32(all.a);
    findings_of(job).outputs = all.a;
    findings_of(job).fresh = all.a - all.b;
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

// Steps of a group for each item.

/// Neighbouring leaves that a group looks at: most of them are often left alone, which a group of their own
/// would be too dear for.
constexpr u32 kLooked = 8;

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
    const u64 first = begins[leaf], all = findings_of(job).erased;
    const u64 behind = begins[leaf + 1] < all ? begins[leaf + 1] + 1 : all;
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

/// Goes through old leaves and their additions in the order of their keys, additions behind their equals.
template <class Tree>
class Merged {
 public:
  using Word = typename Tree::Word;

  LANES_FN Merged(const Tree& tree, const UpdateJob& job) : tree_(&tree), job_(&job) {}

  /// Goes to the entry of that rank, which is one of leaves [leaf, leaf_end).
  LANES_FN void start(u64 rank, u32 leaf, u32 leaf_end) {
    const u64* ranks = array_at<const u64>(job_->ranks);
    leaf_ = leaf;
    if (ranks[leaf + 1] <= rank) leaf_ = u32(bound_in<true>(ranks, leaf + 1, leaf_end, rank) - 1);
    enter();
    const u64 within = rank - ranks[leaf_];
    u64 low = within > entries_ ? within - entries_ : 0, high = end_ - addition_;
    high = within < high ? within : high;
    while (low < high) {  // How many additions stand before it?
      const u64 middle = (low + high) / 2;
      if (added()[addition_ + middle] < keys_[slot_of(u32(within - 1 - middle))]) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    addition_ += low;
    entry_ = u32(within - low);
    if (entry_ < entries_) go_to(slot_of(entry_));
    look_at_addition();
  }

  /// The entry, and where its value is; goes to the next one.
  LANES_FN void take(Word& key, u64& value) {
    while (entry_ == entries_ && addition_ == end_) {
      leaf_++;
      enter();
      if (entries_ != 0) go_to(slot_of(0));
      look_at_addition();
    }
    const NodeShape shape = tree_->leaf();
    if (entry_ == entries_ || (addition_ < end_ && next_added_ < next_key_)) {
      key = next_added_;
      value = job_->values + row_of(job_->added_rows, addition_) * shape.payload_bytes;
      addition_++;
      look_at_addition();
    } else {
      key = next_key_;
      value = u64(keys_) - shape.keys_at + shape.payload_at + u64(slot_) * shape.payload_bytes;
      if (++entry_ < entries_) go_to(behind(slot_));
    }
  }

 private:
  LANES_FN const Word* added() const { return array_at<const Word>(job_->added_words); }
  LANES_FN void go_to(u32 slot) {
    slot_ = slot;
    next_key_ = keys_[slot];
  }
  LANES_FN void look_at_addition() {
    if (addition_ < end_) next_added_ = added()[addition_];
  }
  LANES_FN void enter() {
    const u32* begins = array_at<const u32>(job_->begins);
    const u8* node = node_at(*tree_, array_at<const Ref>(job_->refs)[leaf_]);
    keys_ = keys_of<Word>(node, tree_->leaf());
    entries_ = array_at<const u32>(job_->counts)[leaf_];
    const bool all_stay = job_->keep == 0 || entries_ == tail_of(node, tree_->leaf()).count;
    keep_ = all_stay ? nullptr : array_at<const u32>(job_->keep) + u64(leaf_) * job_->keep_words;
    entry_ = 0;
    addition_ = begins[leaf_];
    end_ = begins[leaf_ + 1];
  }
  static LANES_FN u32 lowest(u32 bits) { return lanes::count_bits((bits & (0 - bits)) - 1); }
  /// The slot of the entry of that rank among those that stay.
  LANES_FN u32 slot_of(u32 rank) const {
    if (keep_ == nullptr) return rank;
    u32 word = 0;
    for (u32 here = lanes::count_bits(keep_[0]); rank >= here; here = lanes::count_bits(keep_[++word])) {
      rank -= here;
    }
    u32 bits = keep_[word];
    for (; rank != 0; rank--) bits &= bits - 1;
    return 32 * word + lowest(bits);
  }
  /// The slot of the next one.
  LANES_FN u32 behind(u32 slot) const {
    slot++;
    if (keep_ == nullptr) return slot;
    u32 bits = slot % 32 == 0 ? 0 : keep_[slot / 32] >> slot % 32;
    if (bits != 0) return slot + lowest(bits);
    u32 word = (slot + 31) / 32;
    while (keep_[word] == 0) word++;
    return 32 * word + lowest(keep_[word]);
  }

  const Tree* tree_;
  const UpdateJob* job_;
  const Word* keys_ = nullptr;
  const u32* keep_ = nullptr;  // none: all stay
  u64 addition_ = 0, end_ = 0;
  u32 leaf_ = 0, entries_ = 0, entry_ = 0, slot_ = 0;
  Word next_key_ = 0, next_added_ = 0;
};

constexpr u32 kProduced = 8;  ///< neighbouring entries of a lane; a group has a lane for all of a leaf

/// For each kLooked leaves that are to be, in their places or not. All of a leaf is read before any of it is
/// written.
struct Produce {
  template <class Tree, class Group>
  static LANES_FN void run(const Tree& tree, const Group& group, const UpdateJob& job, u64 some) {
    const u64 behind = (some + 1) * kLooked < job.nodes ? (some + 1) * kLooked : job.nodes;
    for (u64 o = some * kLooked; o < behind; o++) {
      const Output& output = array_at<const Output>(job.outputs)[o];
      if (output.changed && output.in_place == job.in_place) produce(tree, group, job, output, o);
    }
  }

 private:
  template <class Tree, class Group>
  static LANES_FN void produce(const Tree& tree, const Group& group, const UpdateJob& job,
                               const Output& output, u64 o) {
    using Word = typename Tree::Word;
    const NodeShape shape = tree.leaf();
    u8* node = node_at(tree, output.ref);
    typename Group::template PerLane<Taken<Word>> taken;
    group.each([&](u32 lane) { read(tree, job, output, lane * kProduced, taken[lane]); });
    group.sync();
    group.each([&](u32 lane) { write_keys(node, shape, output.count, lane * kProduced, taken[lane]); });
    group.each([&](u32 lane) {
      Word* samples = reinterpret_cast<Word*>(node);
      for (u32 i = shape.slots / shape.per_line() - 1 + lane; i < shape.sample_slots; i += Group::width) {
        samples[i] = all_ones<Word>();
      }
    });
    if (shape.payload_bytes % 8 == 0) {
      write_values<u64>(group, node, shape, output.count, taken);
    } else if (shape.payload_bytes % 4 == 0) {
      write_values<u32>(group, node, shape, output.count, taken);
    } else {
      write_values<u8>(group, node, shape, output.count, taken);
    }
    group.sync();
    group.each([&](u32 lane) {
      if (lane != 0) return;
      *reinterpret_cast<NodeTail*>(node + shape.tail_at) = {output.count, held(kLeaves), job.version};
      mark_changed(job, output.ref);
      array_at<Word>(job.node_lasts)[o] =
          output.count == 0 ? Word(0) : keys_of<Word>(node, shape)[output.count - 1];
    });
    group.sync();
  }

  /// What a lane has read: keys, and where their values are.
  template <class Word>
  struct Taken {
    Word keys[kProduced];
    u64 values[kProduced];
  };

  template <class Tree>
  static LANES_FN void read(const Tree& tree, const UpdateJob& job, const Output& output, u32 first,
                            Taken<typename Tree::Word>& taken) {
    Merged<Tree> merged(tree, job);
    if (first < output.count) merged.start(output.rank + first, output.leaf, output.leaf_end);
    INDEX_UNROLL for (u32 i = 0; i < kProduced; i++) {
      taken.keys[i] = all_ones<typename Tree::Word>();
      taken.values[i] = 0;
      if (first + i < output.count) merged.take(taken.keys[i], taken.values[i]);
    }
  }

  template <class Word>
  static LANES_FN void write_keys(u8* node, const NodeShape& shape, u32 count, u32 first,
                                  const Taken<Word>& taken) {
    if (first >= shape.slots) return;
    constexpr u32 kPer = 16 / sizeof(Word);
    auto* to = reinterpret_cast<Pack<Word, kPer>*>(const_cast<Word*>(keys_of<Word>(node, shape)) + first);
    INDEX_UNROLL for (u32 i = 0; i < kProduced; i += kPer) {
      Pack<Word, kPer> pack;
      INDEX_UNROLL for (u32 k = 0; k < kPer; k++) {
        pack.word[k] = first + i + k < count ? taken.keys[i + k] : all_ones<Word>();
      }
      to[i / kPer] = pack;
    }
    constexpr u32 kLast = kLine / sizeof(Word) - 1;
    INDEX_UNROLL for (u32 i = 0; i < kProduced; i++) {
      const u32 at = first + i;
      if (at % (kLast + 1) == kLast && at + 1 < shape.slots) {
        reinterpret_cast<Word*>(node)[at / (kLast + 1)] = at < count ? taken.keys[i] : all_ones<Word>();
      }
    }
  }

  /// Unit by unit of all values, so that whatever their size is a lane holds few of them.
  template <class Unit, class Group, class Lanes>
  static LANES_FN void write_values(const Group& group, u8* node, const NodeShape& shape, u32 count,
                                    Lanes& taken) {
    struct Held {
      Unit units[kProduced];
    };
    typename Group::template PerLane<Held> held;
    const u32 units = shape.payload_bytes / sizeof(Unit);
    auto* to = reinterpret_cast<Unit*>(node + shape.payload_at);
    for (u32 unit = 0; unit < units; unit++) {
      group.each([&](u32 lane) {
        INDEX_UNROLL for (u32 i = 0; i < kProduced; i++) {
          if (lane * kProduced + i < count) {
            held[lane].units[i] = array_at<const Unit>(taken[lane].values[i])[unit];
          }
        }
      });
      group.sync();
      group.each([&](u32 lane) {
        const u32 first = lane * kProduced;
        if (sizeof(Unit) >= 4 && units == 1 && first + kProduced <= count) {
          constexpr u32 kPer = sizeof(Unit) >= 4 ? 16 / sizeof(Unit) : 1;
          INDEX_UNROLL for (u32 i = 0; i < kProduced; i += kPer) {
            Pack<Unit, kPer> pack;
            INDEX_UNROLL for (u32 k = 0; k < kPer; k++) pack.word[k] = held[lane].units[i + k];
            reinterpret_cast<Pack<Unit, kPer>*>(to + first)[i / kPer] = pack;
          }
          return;
        }
        INDEX_UNROLL for (u32 i = 0; i < kProduced; i++) {
          if (first + i < count) to[u64(first + i) * units + unit] = held[lane].units[i];
        }
      });
      group.sync();
    }
  }
};

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
    const Word* lasts = array_at<const Word>(job.node_lasts) + first;
    const auto key_of = [&](u32 slot) { return slot + 1 < count ? lasts[slot] : all_ones<Word>(); };
    const u64 entries = group.sum([&](u32 lane) {
      Word* samples = reinterpret_cast<Word*>(node);
      Word* keys = reinterpret_cast<Word*>(node + shape.keys_at);
      for (u32 k = lane; k < shape.slots; k += Group::width) keys[k] = key_of(k);
      for (u32 k = lane; k < shape.sample_slots; k += Group::width) {
        const u32 slot = (k + 1) * shape.per_line();
        samples[k] = slot < shape.slots ? key_of(slot - 1) : all_ones<Word>();
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
      array_at<Word>(job.parent_lasts)[i] = lasts[count - 1];
      mark_changed(job, ref);
    });
  }
};

}  // namespace lanewise::index
