#pragma once

// Freestanding: this text is also compiled by NVRTC. No standard headers here.
//
// Strings in their slots.

#include "index/gpu/update/update_keys-inl.h"

namespace lanewise::index {

/// For each NewPiece.
struct WriteTexts {
  template <class Tree, class Group>
  static LANES_FN void run(const Tree& tree, const Group& group, const UpdateJob& job, u64 i) {
    const NewPiece& piece = array_at<const NewPiece>(job.pieces)[i];
    u32* slot = reinterpret_cast<u32*>(tree.data + piece.at);
    const bool linked = piece.next != 0;
    const u8* from = array_at<const u8>(piece.from);
    u8* to = reinterpret_cast<u8*>(slot + (linked ? 3 : 1));
    group.each([&](u32 lane) {
      for (u32 k = lane; k < piece.bytes; k += Group::width) to[k] = from[k];
      if (lane != 0) return;
      slot[0] = 2 * piece.bytes + (linked ? 1 : 0);
      if (linked) {
        slot[1] = u32(piece.next);
        slot[2] = u32(piece.next >> 32);
      }
      if (piece.name != 0) *array_at<u64>(piece.name) = piece.at;
      if (piece.in_image) array_at<u8>(job.changed)[piece.at >> job.group_shift] = 1;
    });
  }
};

/// For each leaf: the slots of its entries' strings are in use.
struct MarkTexts {
  template <class Tree, class Group>
  static LANES_FN void run(const Tree& tree, const Group& group, const UpdateJob& job, u64 i) {
    const u8* leaf = node_at(tree, array_at<const Ref>(job.refs)[i]);
    const u32 count = tail_of(leaf, tree.leaf()).count;
    const u64* places = keys_of<u64>(leaf, tree.leaf()) + tree.leaf().slots;
    group.each([&](u32 lane) {
      for (u32 k = lane; k < count; k += Group::width) {
        for (u64 at = places[k]; at != 0; at = TextPiece(tree.data, at).next)
          array_at<u8>(job.text_used)[at / 16] = 1;
      }
    });
  }
};

/// For each free slot: it names the next one, as the host keeps them.
struct LinkTexts {
  template <class Tree>
  static LANES_FN void run(const Tree& tree, const UpdateJob& job, u64 i) {
    const u64* free = array_at<const u64>(job.text_free);
    const u64 next = i + 1 < job.free_wanted ? free[i + 1] : 0;
    u32* slot = reinterpret_cast<u32*>(tree.data + free[i]);
    slot[0] = u32(next);
    slot[1] = u32(next >> 32);
    array_at<u8>(job.changed)[free[i] >> job.group_shift] = 1;
  }
};

/// For each inner node in use: how long its keys are, or, once it is known where to, their bytes. A node has
/// as many places as it can have children.
struct BoundTexts {
  template <class Tree, class Group>
  static LANES_FN void run(const Tree& tree, const Group& group, const UpdateJob& job, u64 i) {
    const NodeShape shape = tree.inner();
    const u8* node = node_at(tree, slot_at(job, job.inner_slots, i));
    const u32 keys = tail_of(node, shape).count - 1;
    group.each([&](u32 lane) {
      for (u32 k = lane; k < shape.most; k += Group::width) {
        const u64 place = i * shape.most + k;
        u64 bytes = k < keys ? 0 : kNoBound;
        for (u64 at = k < keys ? keys_of<u64>(node, shape)[shape.slots + k] : 0; at != 0;) {
          const TextPiece piece(tree.data, at);
          if (job.bound_at != 0) {
            u8* to = array_at<u8>(job.bounds + array_at<const u64>(job.bound_at)[place] + bytes);
            for (u32 b = 0; b < piece.count; b++) to[b] = piece.bytes[b];
          }
          bytes += piece.count;
          at = piece.next;
        }
        if (job.bound_at == 0) array_at<u64>(job.bound_bytes)[place] = bytes;
      }
    });
  }
};

}  // namespace lanewise::index
