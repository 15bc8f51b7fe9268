#pragma once

// Freestanding: this text is also compiled by NVRTC. No standard headers here.
//
// How lanes search a tree in device memory; written once. A Group is the lanes that search for one key
// together. It offers
//   width     number of its lanes
//   sum(f)    the sum of f(lane) over its lanes
//   pick(f)   f(lane) of the one lane where that is not kNone; kNone if there is no such lane
//   each(f)   f(lane) in every lane
// and all lanes know what sum and pick return. A Team is the groups that run in lockstep, and offers
//   queries                        number of its groups, one for each query
//   book(bits, first, count, f)    f(group, q) for q of [first, first + queries) below count; sets the bit
//                                  of each q for which that is true; the words begin as zero, and may be null
// A Tree offers its Word, its keys' form, kLong, kLevels (levels that a Trail has room for) and the functions
// of FixedTree.

#include "index/gpu/search/way-inl.h"

namespace lanewise::index {

/// Copies in both directions of memory at once: several loads are under way before the first store waits for
/// its own.
template <class Access, class Unit, class Group, class Change>
LANES_FN void copy_units(const Group& group, u64 to, const u8* from, u32 count, Change change) {
  constexpr u32 kUnderWay = 5;
  const Unit* source = reinterpret_cast<const Unit*>(from);
  group.each([&](u32 lane) {
    for (u32 first = lane; first < count; first += kUnderWay * Group::width) {
      Unit units[kUnderWay];
      INDEX_UNROLL for (u32 i = 0; i < kUnderWay; i++) {
        const u32 at = first + i * Group::width;
        units[i] = Access::load(source + (at < count ? at : first));
      }
      INDEX_UNROLL for (u32 i = 0; i < kUnderWay; i++) {
        const u32 at = first + i * Group::width;
        if (at < count) Access::store(reinterpret_cast<Unit*>(to) + at, Unit(change(units[i])));
      }
    }
  });
}

/// `entries` consecutive values of a leaf; the first one goes to position `at` of `to`.
template <class Access, class Tree, class Group>
LANES_FN void copy_values(const Tree& tree, const Group& group, u64 to, u64 at, const u8* leaf, u32 slot,
                          u32 entries) {
  const u32 bytes = tree.leaf().payload_bytes;
  const u8* from = leaf + tree.leaf().payload_at + slot * bytes;
  const auto same = [](auto unit) { return unit; };
  to += at * bytes;
  if (bytes % 8 == 0) {
    copy_units<Access, u64>(group, to, from, entries * (bytes / 8), same);
  } else if (bytes % 4 == 0) {
    copy_units<Access, u32>(group, to, from, entries * (bytes / 4), same);
  } else {
    copy_units<Access, u8>(group, to, from, entries * bytes, same);
  }
}

/// Keys of consecutive entries of a leaf, long ones word by word; the first one goes to position `at` of
/// `to`.
template <class Tree, class Group>
LANES_FN void copy_keys(const Tree& tree, const Group& group, u64 to, u64 at, const u8* leaf, u32 slot,
                        u32 entries) {
  using Word = typename Tree::Word;
  const NodeShape shape = tree.leaf();
  const Word* from = keys_of<Word>(leaf, shape) + slot;
  if constexpr (Tree::kLong) {
    Word* words = reinterpret_cast<Word*>(to) + at * shape.planes;
    group.each([&](u32 lane) {
      for (u32 i = lane; i < entries * shape.planes; i += Group::width) {
        words[i] = from[i % shape.planes * shape.slots + i / shape.planes];
      }
    });
  } else {
    const auto change = [](Word word) { return from_word<Tree::form>(word); };
    copy_units<Often, Word>(group, to + at * sizeof(Word), reinterpret_cast<const u8*>(from), entries,
                            change);
  }
}

/// The value of each key's first entry, and a bit for each key found. Reads keys, found, values.
struct Find {
  static constexpr bool kInStep = true;

  template <class Way, class Tree, class Group>
  static LANES_FN bool run(const Tree& tree, const Group& group, const Job& job, u64 q) {
    const auto key = sought(tree, job, q);
    Trail<Tree::kLevels> trail;
    const Told told = Way::find(tree, group, job, q, key, trail);
    if (told == Told::nothing ? !settle(tree, key, trail) : told == Told::absent) return false;
    if (job.values != 0) {
      copy_values<Once>(tree, group, job.values, q, node_at(tree, trail.nodes[0]), trail.slots[0], 1);
    }
    return true;
  }
};

/// The position of each key's first entry that is not below it, or above it. Reads keys, above, positions.
struct Bound {
  static constexpr bool kInStep = true;

  template <class Way, class Tree, class Group>
  static LANES_FN bool run(const Tree& tree, const Group& group, const Job& job, u64 q) {
    auto key = sought(tree, job, q);
    const bool at_end = job.above && go_behind(key);
    Trail<Tree::kLevels> trail;
    Way::go(tree, group, job, q, key, trail);
    const u32 count = tail_of(node_at(tree, trail.nodes[0]), tree.leaf()).count;
    u64 position = trail.slots[0] < count ? trail.slots[0] : count;
    INDEX_UNROLL for (u32 level = 1; level <= tree.height(); level++) {
      const auto* entries =
          reinterpret_cast<const u64*>(node_at(tree, trail.nodes[level]) + tree.inner().entries_at);
      position += group.sum([&](u32 lane) {
        u64 before = 0;
        for (u32 i = lane; i < trail.slots[level]; i += Group::width) before += entries[i];
        return before;
      });
    }
    group.each([&](u32 lane) {
      if (lane == 0) reinterpret_cast<u64*>(job.positions)[q] = at_end ? tree.entries : position;
    });
    return false;
  }
};

/// The entries of each range, up to its number of places; the bit says that there are more. Reads
/// keys, highs (none: to the index's end), with_highs, offsets or limit, found, range_keys, values, counts.
struct Range {
  static constexpr bool kInStep = false;

  template <class Way, class Tree, class Group>
  static LANES_FN bool run(const Tree& tree, const Group& group, const Job& job, u64 q) {
    const auto* offsets = reinterpret_cast<const u64*>(job.offsets);
    const u64 first = offsets != nullptr ? offsets[q] : q * job.limit;
    const u64 places = offsets != nullptr ? offsets[q + 1] - first : job.limit;
    const auto low = sought(tree, job, q);
    auto high = low;
    if constexpr (!Tree::kLong) {
      if (job.highs != 0) high = key_at(tree, job.highs, q);
    }
    const bool endless = job.highs == 0 || (job.with_highs && go_behind(high));
    Trail<Tree::kLevels> trail;
    Way::go(tree, group, job, q, low, trail);
    u64 taken = 0;
    bool cut = false;
    for (;;) {
      const u8* node = node_at(tree, trail.nodes[0]);
      const u32 count = tail_of(node, tree.leaf()).count;
      u32 end = endless ? count : Way::Search::below(group, node, tree.leaf(), high);
      end = end < count ? end : count;
      const u32 slot = trail.slots[0] < end ? trail.slots[0] : end;
      const u32 some = end - slot < places - taken ? end - slot : u32(places - taken);
      if (job.range_keys != 0) copy_keys(tree, group, job.range_keys, first + taken, node, slot, some);
      if (job.values != 0) copy_values<Often>(tree, group, job.values, first + taken, node, slot, some);
      taken += some;
      cut = slot + some < end;
      if (cut || end < count || (job.found == 0 && taken == places)) break;
      if (!next_leaf(tree, trail)) break;
    }
    if (job.counts != 0) {
      group.each([&](u32 lane) {
        if (lane == 0) reinterpret_cast<u32*>(job.counts)[q] = u32(taken);
      });
    }
    return cut;
  }
};

/// The entry at each position, and a bit if there is one: the descent uses counts, not keys.
/// Reads positions, found, range_keys, values.
struct Pick {
  static constexpr bool kInStep = false;

  template <class Way, class Tree, class Group>
  static LANES_FN bool run(const Tree& tree, const Group& group, const Job& job, u64 q) {
    u64 rank = reinterpret_cast<const u64*>(job.positions)[q];
    if (rank >= tree.entries) return false;
    Ref ref = tree.root;
    INDEX_UNROLL for (u32 level = tree.height(); level > 0; level--) {
      const u8* node = node_at(tree, ref);
      const auto* entries = reinterpret_cast<const u64*>(node + tree.inner().entries_at);
      const u32 child = child_of_rank(group, entries, tail_of(node, tree.inner()).count, rank);
      ref = child_of(node, tree.inner(), child);
    }
    const u8* leaf = node_at(tree, ref);
    const u32 slot = u32(rank);
    if (job.range_keys != 0) copy_keys(tree, group, job.range_keys, q, leaf, slot, 1);
    if (job.values != 0) copy_values<Once>(tree, group, job.values, q, leaf, slot, 1);
    return true;
  }

 private:
  /// The child that contains the entry of that rank, and its rank there.
  template <class Group>
  static LANES_FN u32 child_of_rank(const Group& group, const u64* entries, u32 children, u64& rank) {
    u32 first = 0;
    while (children > 1) {
      const u32 half = children / 2;
      const u64 before = group.sum([&](u32 lane) {
        u64 sum = 0;
        for (u32 i = lane; i < half; i += Group::width) sum += entries[first + i];
        return sum;
      });
      const bool right = rank >= before;
      rank -= right ? before : 0;
      first += right ? half : 0;
      children = right ? children - half : half;
    }
    return first;
  }
};

/// The text of each key in range_keys: its length, to positions, or, if there are values, its
/// bytes to its position in offsets. Reads range_keys, positions or offsets and values.
struct TextOf {
  static constexpr bool kInStep = false;

  template <class Way, class Tree, class Group>
  static LANES_FN bool run(const Tree& tree, const Group& group, const Job& job, u64 q) {
    u64 at = reinterpret_cast<const u64*>(job.range_keys)[2 * q + 1], bytes = 0;
    do {
      const TextPiece piece(tree.data, at);
      if (job.values != 0) {
        u8* to = reinterpret_cast<u8*>(job.values + reinterpret_cast<const u64*>(job.offsets)[q] + bytes);
        group.each([&](u32 lane) {
          for (u32 i = lane; i < piece.count; i += Group::width) to[i] = piece.bytes[i];
        });
      }
      bytes += piece.count;
      at = piece.next;
    } while (at != 0);
    group.each([&](u32 lane) {
      if (lane == 0 && job.values == 0) reinterpret_cast<u64*>(job.positions)[q] = bytes;
    });
    return false;
  }
};

/// One level of the descent, for Stored. Reads keys, above, level, nodes, slots.
template <class Search>
struct OneNode {
  static constexpr bool kInStep = false;

  template <class Way, class Tree, class Group>
  static LANES_FN bool run(const Tree& tree, const Group& group, const Job& job, u64 q) {
    auto key = sought(tree, job, q);
    if (job.above) go_behind(key);
    auto* nodes = reinterpret_cast<Ref*>(job.nodes) + job.level * job.count + q;
    const Ref ref = job.level == tree.height() ? tree.root : *nodes;
    const u8* node = node_at(tree, ref);
    const NodeShape shape = job.level > 0 ? tree.inner() : tree.leaf();
    const u32 slot = Search::below(group, node, shape, key);
    group.each([&](u32 lane) {
      if (lane != 0) return;
      if (job.level == tree.height()) *nodes = ref;
      reinterpret_cast<u32*>(job.slots)[job.level * job.count + q] = slot;
      if (job.level > 0) *(nodes - job.count) = child_of(node, shape, slot);
    });
    return false;
  }
};

}  // namespace lanewise::index
