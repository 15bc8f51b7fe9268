#pragma once

#include "lanes/lane.h"

// The image of an index, byte for byte the same in memory, on devices and in files. Freestanding.
//
// An image is a sequence of groups of `group_bytes`. Group 0 holds the Header. Each other group holds slots
// of one class and size: inner nodes, leaves, or strings. The last 64 bytes of a group are its Trailer. A Ref
// names a node and a byte offset names a string; both count from the image's start.

namespace lanewise::index {

using lanes::u16;
using lanes::u32;
using lanes::u64;
using lanes::u8;

/// The position of a node, in units of 64 bytes. 0 means none.
using Ref = u32;

/// Bytes that are searched at once: a cache line, two sectors of a GPU.
constexpr u32 kLine = 64;

constexpr u32 kFormat = 1;
constexpr u32 kByteOrder = 0x01020304;
constexpr u32 kMaxHeight = 40;  ///< levels above the leaves: enough for more than 2^32 nodes
constexpr u32 kMaxFields = 4;
constexpr u32 kMaxPlanes = 9;  ///< words of a key: four of 128 bits that may be NULL
constexpr u32 kMinGroupBytes = 1 << 16, kMaxGroupBytes = 1 << 24;
constexpr u32 kMaxNodeKeys = 2047;
constexpr u32 kMaxValueBytes = 1024;

/// The contents of a group's slots.
enum SlotClass : u32 {
  kInnerNodes = 0,
  kLeaves = 1,
  kTexts = 2,  ///< this class and those after it: strings of growing size
  kSlotClasses = 20,
};

constexpr char kMagic[16] = {'l', 'a', 'n', 'e', 'w', 'i', 's', 'e', ' ', 'i', 'n', 'd', 'e', 'x', '\n', 0};

/// A field of the key: a Type of data/type.h.
struct FieldCode {
  u8 type, precision, scale, unit;
  u8 nullable;
  u8 unused[3];
};

/// The free slots of a class.
struct FreeSlots {
  u64 first;     ///< byte of the slot freed last, which holds the byte of the next; 0: none
  u64 returned;  ///< number of freed slots
  u64 fresh;     ///< byte of the first slot that was never used
  u64 fresh_left;
};

/// The part of the tree's state that a reader needs.
struct Root {
  Ref node = 0;    ///< a leaf if height is 0
  u32 height = 0;  ///< levels of inner nodes
  u64 entries = 0;
};

struct Header {
  char magic[16];
  u32 format;
  u32 byte_order;  ///< kByteOrder as stored by the writer's machine
  u32 group_bytes;
  u32 value_bytes;
  u32 leaf_keys;   ///< maximum keys of a leaf
  u32 inner_keys;  ///< maximum keys of an inner node, which has one child more
  u32 fill_percent;
  u32 unique;
  u32 field_count;
  u32 unused;
  FieldCode fields[kMaxFields];
  u64 commit;   ///< number of commits of the image
  u64 groups;   ///< including the header's
  u64 version;  ///< version of new nodes, see versions.h
  Root root;
  FreeSlots free[kSlotClasses];
};

struct Trailer {
  char magic[8];
  u64 group;
  u64 commit;  ///< the commit that wrote it
  u32 slot_class;
  u32 unused[7];
  u64 checksum;  ///< of all preceding bytes of the group
};
static_assert(sizeof(Trailer) == 64);
constexpr char kTrailerMagic[8] = {'l', 'w', 'g', 'r', 'o', 'u', 'p', '\n'};

/// Bytes of the slots of a class of strings: 16, 32, 48, then 64, 96, 128, 192 and so on to 8,192. 0: no such
/// class.
constexpr u32 text_slot_bytes(u32 slot_class) {
  const u32 i = slot_class - kTexts;
  if (i < 3) return 16 * (i + 1);
  const u32 power = 64u << (i - 3) / 2;
  return i % 2 == 1 ? power : power + power / 2;
}
static_assert(text_slot_bytes(kTexts + 3) == 64 && text_slot_bytes(kTexts + 4) == 96);
static_assert(text_slot_bytes(kSlotClasses - 1) == 8192);

/// A hash of `count` words for files. Each step is a bijection of its input word and of its state. So a
/// change to one lane, such as a flipped bit, always changes the result.
inline u64 checksum(const u64* words, u64 count) {
  constexpr u64 kLanes = 8, kFactor = 0x9e3779b97f4a7c15;
  u64 lane[kLanes] = {1, 2, 3, 4, 5, 6, 7, 8};
  u64 at = 0;
  for (; at + kLanes <= count; at += kLanes) {
    for (u64 i = 0; i < kLanes; i++) {
      const u64 mixed = (lane[i] ^ words[at + i]) * kFactor;
      lane[i] = mixed ^ mixed >> 32;
    }
  }
  for (; at < count; at++) {
    const u64 mixed = (lane[at % kLanes] ^ words[at]) * kFactor;
    lane[at % kLanes] = mixed ^ mixed >> 32;
  }
  u64 sum = count;
  for (u64 i = 0; i < kLanes; i++) {
    const u64 mixed = (sum ^ lane[i]) * kFactor;
    sum = mixed ^ mixed >> 29;
  }
  return sum;
}

}  // namespace lanewise::index
