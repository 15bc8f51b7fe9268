#pragma once

// Freestanding: this text is also compiled by NVRTC. No standard headers here.
//
// What the steps of a batch of changes work on (update-inl.h), and how they name parts of it.

#include "index/gpu/search/search-inl.h"

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
  u32 leaf_end;  ///< after the last old leaf of its run
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

/// A piece of a text that is to be written to a slot.
struct NewPiece {
  u64 at;    ///< of the slot, counted from the image's start; it need not be in the image
  u64 next;  ///< the slot of the next piece; 0: there is none
  u64 from;  ///< address of its bytes
  u64 name;  ///< address of the word that is to say where the text is; 0: this is not its first piece
  u32 bytes;
  u32 in_image;
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
  u64 words = 0;     ///< of the keys in order
  u64 rows = 0;      ///< u32 of each: where its value is; 0: values are in the order of the words
  u32 by_value = 0;  ///< equal keys are in the order of their values' bytes
  u32 run = 0;       ///< rows of so many keys are in order
  u64 merged = 0;    ///< u32: of twice as many; or the words in the order of the rows
  u64 fates = 0;     ///< u8 of each: its outcome
  u64 chosen = 0;    ///< u32 of each: the row whose value an addition takes
  u64 places = 0;    ///< u64 of each: the image's byte where a value is to be replaced; 0: nowhere
  u64 matches = 0;   ///< u64 of each: the entry that it erases, (leaf << 32) + slot
  u64 added_words = 0, added_rows = 0;  ///< as words and rows
  u64 erased_words = 0;
  u64 erased_places = 0;  ///< u64: as matches, in order; erasures are these or words

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

  // Strings.
  u64 pieces = 0;       ///< NewPiece: to be written
  u64 text_used = 0;    ///< u8 for each 16 bytes of the image: whether a text in use begins there
  u64 text_free = 0;    ///< u64: slots that are free
  u64 bound_bytes = 0;  ///< u64 for each place of a key in inner nodes: how long it is, or kNoBound
  u64 bound_at = 0;     ///< u64 likewise: where its bytes go, or, when this is not needed, 0
  u64 bounds = 0;       ///< bytes

  // What becomes of them.
  u64 used = 0;         ///< u8 of each slot
  u64 free_refs = 0;    ///< of slots that are free
  u64 free_wanted = 0;  ///< so many of them
  u64 outputs = 0;
  u32 in_place = 0;  ///< selects in-place (1) or out-of-place outputs

  // A level of nodes: from the one below, of `nodes`.
  u64 nodes = 0;
  u64 node_refs = 0, node_entries = 0, node_lasts = 0;
  u64 parents = 0;  ///< how many nodes the level gets
  u64 parent_refs = 0, parent_entries = 0, parent_lasts = 0;
  u64 first_slot = 0;  ///< of inner nodes
};

/// Where an inner node has no key.
constexpr u64 kNoBound = ~u64(0);

/// What becomes of a change.
constexpr u32 kAdds = 1, kErases = 2;

template <class T>
LANES_FN T* array_at(u64 address) {
  return reinterpret_cast<T*>(address);
}
LANES_FN u64 row_of(u64 rows, u64 i) { return rows == 0 ? i : array_at<const u32>(rows)[i]; }
LANES_FN Findings& findings_of(const UpdateJob& job) { return *array_at<Findings>(job.findings); }

/// Where the share of `part` begins if `all` things are shared evenly by `parts`.
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

/// Neighbouring leaves that a group looks at: most of them are often left alone, which a group of their own
/// would be too dear for.
constexpr u32 kLooked = 8;

}  // namespace lanewise::index
