#pragma once

// Freestanding: this text is also compiled by NVRTC. No standard headers here.
//
// How a group of lanes searches one node.

#include "index/gpu/search/tree-inl.h"

namespace lanewise::index {

/// Words that a lane loads at once.
template <class Word, u32 kCount>
struct alignas(sizeof(Word) * kCount) Pack {
  Word word[kCount];
};

/// Whether a key is present, as far as a search has found out.
enum class Told : u32 { absent, there, nothing };

/// The samples select the line, the line yields the key. Several lanes share a line, at most 16 bytes
/// each; a single lane does a binary search, since later words are cached after the first two.
struct ByLines {
  template <class Word, class Group>
  static LANES_FN u32 below(const Group& group, const u8* node, const NodeShape& shape, Word key) {
    const u32 first = first_of_line(group, node, shape, key);
    return first + below_in<kLine>(group, keys_of<Word>(node, shape) + first, key);
  }

  /// The same in a leaf, including the result for the line: if it has a key that is not below the search key,
  /// it need not be read again. Words after the last key are not keys. A single lane reads again, from its
  /// cache.
  template <class Word, class Group>
  static LANES_FN Told find(const Group& group, const u8* leaf, const NodeShape& shape, Word key, u32& slot) {
    const u32 first = first_of_line(group, leaf, shape, key);
    const u32 seen = below_in<kLine, true>(group, keys_of<Word>(leaf, shape) + first, key);
    slot = first + seen % kEqual;
    if (key == all_ones<Word>() || seen < kReached) return Told::nothing;
    return seen % kReached < kEqual ? Told::absent : Told::there;
  }

 private:
  // The sum of three counts of a line's words: below the key; times these: equal to it, keys that are not
  // below.
  static constexpr u32 kEqual = 1 << 8, kReached = 1 << 16;
  static_assert(kLine / 4 < kEqual);

  /// A line's words below the key, 0 to all; with kTell the sum of all three counts.
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

  /// The first slot of the line that contains the key's position.
  template <class Word, class Group>
  static LANES_FN u32 first_of_line(const Group& group, const u8* node, const NodeShape& shape, Word key) {
    constexpr u32 kSector = 32;  // minimum bytes of a GPU's read
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

/// One lane per key: is it the first one that is not below the search key?
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

/// The keys are split into a segment for each lane; the lane whose segment has the position does a binary
/// search.
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

}  // namespace lanewise::index
