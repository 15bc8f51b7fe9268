#pragma once

// Freestanding: this text is also compiled by NVRTC. No standard headers here.
//
// How lanes search a tree in memory of a device; written once. A Group is the lanes that search for one key
// together. It offers
//   width     how many lanes it has
//   sum(f)    the sum of f(lane) over its lanes
//   pick(f)   f(lane) of the one lane where that is not kNone; kNone where there is no such lane
//   each(f)   f(lane) in every lane
// and all lanes know what sum and pick return. A Team is the groups that go in step, and offers
//   queries                        how many groups it has, one for each query
//   book(bits, first, count, f)    f(group, q) for q of [first, first + queries) below count; sets the bit of
//   each q
//                                  for which that is true, in words that are zero, unless there are none
// A Tree offers its Word, its keys' form, kLevels (levels that a Trail has room for) and the functions of
// FixedTree.

#include "index/device/once-inl.h"
#include "index/node.h"

#if defined(__CUDACC__)
#define INDEX_UNROLL _Pragma("unroll")
#else
#define INDEX_UNROLL
#endif

namespace lanewise::index {

constexpr u32 kNone = ~0u;

/// A tree in memory, as kernels get it. Nothing of it is checked: who puts it there has done so.
struct TreeAt {
  u64 data;     ///< address of the image
  u64 entries;  ///< of the whole tree
  Ref root;
  u32 unused = 0;
};

/// How keys are given and returned.
enum class KeyForm : u32 {
  words,     ///< as nodes hold them
  integers,  ///< signed
  reals,     ///< IEEE 754
};

/// What kernels are asked; each operation says which parts it reads. Addresses; 0: not wanted.
struct Job {
  u64 count = 0;       ///< of queries
  u64 keys = 0;        ///< that are sought; of ranges their lower bounds
  u64 highs = 0;       ///< of ranges their upper bounds
  u32 above = 0;       ///< seek the first entry above a key, not the first one that is not below it
  u32 with_highs = 0;  ///< entries equal to a range's upper bound belong to it
  u32 level = 0;       ///< of the nodes that are searched
  u64 found = 0;       ///< a bit for each query, zero before
  u64 values = 0;      ///< of each query; of ranges those of its entries
  u64 positions = 0;   ///< u64 of each query, found or asked for
  u64 offsets = 0;  ///< of ranges: the first of each query's places, u64, and the one behind the last; else:
  u64 limit = 0;    ///< so many places for each
  u64 range_keys = 0;  ///< of the entries
  u64 counts = 0;      ///< u32: how many entries each query got
  u64 nodes = 0;       ///< Ref for [level][query]: nodes on the way down
  u64 slots = 0;       ///< u32 likewise
};

/// The tree of one layout and height: all that is known when a kernel is compiled.
template <class WordType, KeyForm kForm, u32 kLeafKeys, u32 kInnerKeys, u32 kValueBytes, u32 kHeight>
struct FixedTree : TreeAt {
  using Word = WordType;
  static constexpr KeyForm form = kForm;
  static constexpr u32 kLevels = kHeight + 1;

  LANES_FN explicit FixedTree(const TreeAt& at) : TreeAt(at) {}
  static LANES_FN constexpr u32 height() { return kHeight; }
  static LANES_FN constexpr NodeShape inner() { return node_shape(true, sizeof(Word), 1, kInnerKeys, 0); }
  static LANES_FN constexpr NodeShape leaf() {
    return node_shape(false, sizeof(Word), 1, kLeafKeys, kValueBytes);
  }
};

/// The nodes from the root to a leaf, [0], and where to go on in each.
template <u32 kLevels>
struct Trail {
  Ref nodes[kLevels];
  u32 slots[kLevels];
};

template <class Word>
LANES_FN constexpr Word all_ones() {
  return Word(~Word(0));
}

/// As KeyLayout maps keys.
template <KeyForm form, class Word>
LANES_FN Word to_word(Word key) {
  constexpr Word kTop = Word(1) << (8 * sizeof(Word) - 1);
  constexpr Word kInfinity = sizeof(Word) == 4 ? Word(0x7f800000) : Word(0x7ff0000000000000);
  if constexpr (form == KeyForm::integers) {
    return key ^ kTop;
  } else if constexpr (form == KeyForm::reals) {
    if ((key & ~kTop) > kInfinity) return all_ones<Word>();
    if (key == kTop) return kTop;  // -0.0
    return key & kTop ? Word(~key) : key | kTop;
  } else {
    return key;
  }
}

template <KeyForm form, class Word>
LANES_FN Word from_word(Word word) {
  constexpr Word kTop = Word(1) << (8 * sizeof(Word) - 1);
  if constexpr (form == KeyForm::integers) {
    return word ^ kTop;
  } else if constexpr (form == KeyForm::reals) {
    return word & kTop ? word ^ kTop : Word(~word);
  } else {
    return word;
  }
}

template <class Tree>
LANES_FN auto key_at(const Tree&, u64 keys, u64 q) {
  using Word = typename Tree::Word;
  return to_word<Tree::form>(Once::load(reinterpret_cast<const Word*>(keys) + q));
}

template <class Tree>
LANES_FN u8* node_at(const Tree& tree, Ref ref) {
  return reinterpret_cast<u8*>(tree.data + u64(ref) * kLine);
}
LANES_FN const NodeTail& tail_of(const u8* node, const NodeShape& shape) {
  return *reinterpret_cast<const NodeTail*>(node + shape.tail_at);
}
LANES_FN Ref child_of(const u8* node, const NodeShape& inner, u32 slot) {
  return reinterpret_cast<const Ref*>(node + inner.payload_at)[slot];
}
template <class Word>
LANES_FN const Word* keys_of(const u8* node, const NodeShape& shape) {
  return reinterpret_cast<const Word*>(node + shape.keys_at);
}

/// Words that a lane loads at once.
template <class Word, u32 kCount>
struct alignas(sizeof(Word) * kCount) Pack {
  Word word[kCount];
};

/// Whether a key is there, as far as a search has seen.
enum class Told : u32 { absent, there, nothing };

/// The samples tell the line, the line tells the key. Several lanes share a line, 16 bytes at most for each;
/// a lane alone halves it, since what it looks at after the first two words is near it by then.
struct ByLines {
  template <class Word, class Group>
  static LANES_FN u32 below(const Group& group, const u8* node, const NodeShape& shape, Word key) {
    const u32 first = first_of_line(group, node, shape, key);
    return first + below_in<kLine>(group, keys_of<Word>(node, shape) + first, key);
  }

  /// The same in a leaf, and what the line tells: where it has a key that is not below the sought one it need
  /// not be looked at again. Words behind the last key are no keys. A lane alone looks again, at what it has
  /// near.
  template <class Word, class Group>
  static LANES_FN Told find(const Group& group, const u8* leaf, const NodeShape& shape, Word key, u32& slot) {
    const u32 first = first_of_line(group, leaf, shape, key);
    const u32 seen = below_in<kLine, true>(group, keys_of<Word>(leaf, shape) + first, key);
    slot = first + seen % kEqual;
    if (key == all_ones<Word>() || seen < kReached) return Told::nothing;
    return seen % kReached < kEqual ? Told::absent : Told::there;
  }

 private:
  // How many words of a line are below the key; times these: are equal to it, are keys that are not below.
  static constexpr u32 kEqual = 1 << 8, kReached = 1 << 16;
  static_assert(kLine / 4 < kEqual);

  /// A line's words below the key, 0 to all; with kTell the sum of all three numbers.
  template <u32 kBytes, bool kTell = false, class Word, class Group>
  static LANES_FN u32 below_in(const Group& group, const Word* line, Word key) {
    if constexpr (Group::width == 1) {
      u32 count = 0;
      INDEX_UNROLL for (u32 half = kBytes / sizeof(Word) / 2; half != 0; half /= 2) {
        count += line[count + half - 1] < key ? half : 0;
      }
      return count + (line[count] < key);
    } else {
      constexpr u32 kPart = kBytes / Group::width < 16 ? kBytes / Group::width : 16;
      using Part = Pack<Word, kPart / sizeof(Word)>;
      return group.sum([&](u32 lane) {
        u32 count = 0;
        INDEX_UNROLL for (u32 turn = 0; turn < kBytes / kPart / Group::width; turn++) {
          const Part* at = reinterpret_cast<const Part*>(line) + turn * Group::width + lane;
          const Part part = kTell ? Once::load(at) : *at;
          INDEX_UNROLL for (u32 i = 0; i < kPart / sizeof(Word); i++) {
            count += part.word[i] < key;
            if constexpr (kTell) {
              count += part.word[i] == key ? kEqual : 0;
              count += part.word[i] >= key && part.word[i] != all_ones<Word>() ? kReached : 0;
            }
          }
        }
        return count;
      });
    }
  }

  /// The first slot of the line where the key's place is.
  template <class Word, class Group>
  static LANES_FN u32 first_of_line(const Group& group, const u8* node, const NodeShape& shape, Word key) {
    constexpr u32 kSector = 32;  // what a GPU reads at least
    constexpr u32 kLeast = Group::width * sizeof(Word) > kSector ? kLine : kSector;
    const Word* samples = reinterpret_cast<const Word*>(node);
    const u32 used = shape.slots * shape.word / kLine - 1;  // samples
    u32 line = 0;
    if (used > 0 && used * shape.word <= kLeast) {
      line = below_in<kLeast>(group, samples, key);
    } else {
      for (u32 i = 0; i < used; i += shape.per_line()) line += below_in<kLine>(group, samples + i, key);
    }
    return line * shape.per_line();
  }
};

/// A lane for each key: is it the first one that is not below the sought one?
struct ByKeys {
  template <class Word, class Group>
  static LANES_FN u32 below(const Group& group, const u8* node, const NodeShape& shape, Word key) {
    const Word* keys = keys_of<Word>(node, shape);
    const u32 slot = group.pick([&](u32 lane) {
      for (u32 i = lane; i < shape.slots; i += Group::width) {
        if (keys[i] >= key && (i == 0 || keys[i - 1] < key)) return i;
      }
      return kNone;
    });
    return slot == kNone ? shape.slots : slot;
  }
  template <class Word, class Group>
  static LANES_FN Told find(const Group& group, const u8* leaf, const NodeShape& shape, Word key, u32& slot) {
    slot = below(group, leaf, shape, key);
    return Told::nothing;
  }
};

/// The keys are cut into a segment for each lane; the lane whose segment has the place halves it.
struct BySegments {
  template <class Word, class Group>
  static LANES_FN u32 below(const Group& group, const u8* node, const NodeShape& shape, Word key) {
    const Word* keys = keys_of<Word>(node, shape);
    const u32 size = (shape.slots + Group::width - 1) / Group::width;
    const u32 slot = group.pick([&](u32 lane) {
      u32 low = lane * size;
      if (low >= shape.slots) return kNone;
      u32 high = low + size < shape.slots ? low + size : shape.slots;
      if (keys[high - 1] < key || (low > 0 && keys[low - 1] >= key)) return kNone;
      while (low < high) {
        const u32 middle = (low + high) / 2;
        if (keys[middle] < key) {
          low = middle + 1;
        } else {
          high = middle;
        }
      }
      return low;
    });
    return slot == kNone ? shape.slots : slot;
  }
};

/// From the root to the leaf where the first entry that is not below the key is, or the leaf before. The
/// leaf's slot may be behind its last entry.
template <class NodeSearch>
struct Down {
  using Search = NodeSearch;
  template <class Tree, class Group, class Word, class Way>
  static LANES_FN void go(const Tree& tree, const Group& group, const Job&, u64, Word key, Way& trail) {
    go_to_leaf(tree, group, key, trail);
    trail.slots[0] = Search::below(group, node_at(tree, trail.nodes[0]), tree.leaf(), key);
  }
  /// The same for who only asks whether the key is there.
  template <class Tree, class Group, class Word, class Way>
  static LANES_FN Told find(const Tree& tree, const Group& group, const Job&, u64, Word key, Way& trail) {
    go_to_leaf(tree, group, key, trail);
    return Search::find(group, node_at(tree, trail.nodes[0]), tree.leaf(), key, trail.slots[0]);
  }

 private:
  template <class Tree, class Group, class Word, class Way>
  static LANES_FN void go_to_leaf(const Tree& tree, const Group& group, Word key, Way& trail) {
    Ref ref = tree.root;
    INDEX_UNROLL for (u32 level = tree.height(); level > 0; level--) {
      const u8* node = node_at(tree, ref);
      trail.nodes[level] = ref;
      trail.slots[level] = Search::below(group, node, tree.inner(), key);
      ref = child_of(node, tree.inner(), trail.slots[level]);
    }
    trail.nodes[0] = ref;
  }
};

/// The way that kernels, level by level, have written down.
struct Stored {
  using Search = ByLines;
  template <class Tree, class Group, class Word, class Way>
  static LANES_FN void go(const Tree& tree, const Group&, const Job& job, u64 q, Word, Way& trail) {
    INDEX_UNROLL for (u32 level = 0; level <= tree.height(); level++) {
      trail.nodes[level] = reinterpret_cast<const Ref*>(job.nodes)[level * job.count + q];
      trail.slots[level] = reinterpret_cast<const u32*>(job.slots)[level * job.count + q];
    }
  }
  template <class Tree, class Group, class Word, class Way>
  static LANES_FN Told find(const Tree& tree, const Group& group, const Job& job, u64 q, Word key,
                            Way& trail) {
    go(tree, group, job, q, key, trail);
    return Told::nothing;
  }
};

/// To the first entry of the next leaf that has one; false, and anywhere, where there is none.
template <class Tree, class Way>
LANES_FN bool next_leaf(const Tree& tree, Way& trail) {
  for (;;) {
    u32 turn = 0;  // the lowest level where there is a child to the right
    INDEX_UNROLL for (u32 level = 1; level <= tree.height(); level++) {
      if (turn != 0) continue;
      const u8* node = node_at(tree, trail.nodes[level]);
      if (trail.slots[level] + 1 < tail_of(node, tree.inner()).count) turn = level;
    }
    if (turn == 0) return false;
    INDEX_UNROLL for (u32 level = tree.height(); level > 0; level--) {
      if (level > turn) continue;
      trail.slots[level] = level == turn ? trail.slots[level] + 1 : 0;
      trail.nodes[level - 1] = child_of(node_at(tree, trail.nodes[level]), tree.inner(), trail.slots[level]);
    }
    trail.slots[0] = 0;
    if (tail_of(node_at(tree, trail.nodes[0]), tree.leaf()).count != 0) return true;
  }
}

/// Whether the key's first entry is at the trail's end, which moves to a later leaf where only that can tell.
template <class Tree, class Word, class Way>
LANES_FN bool settle(const Tree& tree, Word key, Way& trail) {
  const u8* node = node_at(tree, trail.nodes[0]);
  if (trail.slots[0] < tree.leaf().slots) {
    const Word here = keys_of<Word>(node, tree.leaf())[trail.slots[0]];
    if (here != all_ones<Word>()) return here == key;  // A key for sure.
    if (trail.slots[0] < tail_of(node, tree.leaf()).count) return here == key;
  }
  if (!next_leaf(tree, trail)) return false;
  return keys_of<Word>(node_at(tree, trail.nodes[0]), tree.leaf())[0] == key;
}

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

/// `entries` neighbouring values of a leaf; place `at` of `to` is the first one's.
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

/// The value of each key's first entry, and a bit for each key that is there. Reads keys, found, values.
struct Find {
  static constexpr bool kInStep = true;

  template <class Way, class Tree, class Group>
  static LANES_FN bool run(const Tree& tree, const Group& group, const Job& job, u64 q) {
    const auto key = key_at(tree, job.keys, q);
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
    using Word = typename Tree::Word;
    Word key = key_at(tree, job.keys, q);
    const bool at_end = job.above && key == all_ones<Word>();
    if (job.above && !at_end) key = Word(key + 1);
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

/// The entries of each range, up to as many as it has places for; the bit says that there are more. Reads
/// keys, highs (none: to the index's end), with_highs, offsets or limit, found, range_keys, values, counts.
struct Range {
  static constexpr bool kInStep = false;

  template <class Way, class Tree, class Group>
  static LANES_FN bool run(const Tree& tree, const Group& group, const Job& job, u64 q) {
    using Word = typename Tree::Word;
    const auto* offsets = reinterpret_cast<const u64*>(job.offsets);
    const u64 first = offsets != nullptr ? offsets[q] : q * job.limit;
    const u64 places = offsets != nullptr ? offsets[q + 1] - first : job.limit;
    Word high = job.highs != 0 ? key_at(tree, job.highs, q) : all_ones<Word>();
    const bool endless = job.highs == 0 || (job.with_highs && high == all_ones<Word>());
    if (job.with_highs && !endless) high = Word(high + 1);
    Trail<Tree::kLevels> trail;
    Way::go(tree, group, job, q, key_at(tree, job.keys, q), trail);
    u64 taken = 0;
    bool cut = false;
    for (;;) {
      const u8* node = node_at(tree, trail.nodes[0]);
      const u32 count = tail_of(node, tree.leaf()).count;
      u32 end = endless ? count : Way::Search::below(group, node, tree.leaf(), high);
      end = end < count ? end : count;
      const u32 slot = trail.slots[0] < end ? trail.slots[0] : end;
      const u32 some = end - slot < places - taken ? end - slot : u32(places - taken);
      if (job.range_keys != 0) {
        const auto change = [](Word word) { return from_word<Tree::form>(word); };
        const u8* from = reinterpret_cast<const u8*>(keys_of<Word>(node, tree.leaf()) + slot);
        copy_units<Often, Word>(group, job.range_keys + (first + taken) * sizeof(Word), from, some, change);
      }
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

/// The entry at each position, and a bit where there is one: the way down is that of counts, not of keys.
/// Reads positions, found, range_keys, values.
struct Pick {
  static constexpr bool kInStep = false;

  template <class Way, class Tree, class Group>
  static LANES_FN bool run(const Tree& tree, const Group& group, const Job& job, u64 q) {
    using Word = typename Tree::Word;
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
    if (job.range_keys != 0) {
      const auto change = [](Word word) { return from_word<Tree::form>(word); };
      const u8* from = reinterpret_cast<const u8*>(keys_of<Word>(leaf, tree.leaf()) + slot);
      copy_units<Often, Word>(group, job.range_keys + q * sizeof(Word), from, 1, change);
    }
    if (job.values != 0) copy_values<Once>(tree, group, job.values, q, leaf, slot, 1);
    return true;
  }

 private:
  /// The child below which the entry of that rank is, and its rank there.
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

/// One level of the way down, for Stored. Reads keys, above, level, nodes, slots.
template <class Search>
struct OneNode {
  static constexpr bool kInStep = false;

  template <class Way, class Tree, class Group>
  static LANES_FN bool run(const Tree& tree, const Group& group, const Job& job, u64 q) {
    using Word = typename Tree::Word;
    Word key = key_at(tree, job.keys, q);
    if (job.above && key != all_ones<Word>()) key = Word(key + 1);
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
