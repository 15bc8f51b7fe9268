#pragma once

#include "index/image/format.h"

// Nodes: the positions of their parts. Freestanding.

namespace lanewise::index {

/// The parts of a node, in bytes from its start:
///
///     samples   the last key of each line of keys but the last line
///     keys      plane by plane; plane 0 holds the first word of each key, ~0 after the last key
///     payload   of a leaf: values. Of an inner node: a Ref for each child
///     entries   of an inner node: the number of entries below each child, u64
///     tail      NodeTail
///
/// A node of n children has n - 1 keys: key i is not below any key under child i, and not above any under
/// child i + 1.
struct NodeShape {
  u32 word = 0;    ///< bytes of a key's word, 4 or 8
  u32 planes = 1;  ///< words of a key
  u32 most = 0;    ///< entries of a leaf, children of an inner node
  u32 slots = 0;   ///< of a plane: whole lines
  u32 sample_slots = 0;
  u32 keys_at = 0;
  u32 payload_at = 0;
  u32 payload_bytes = 0;  ///< of one entry
  u32 entries_at = 0;
  u32 tail_at = 0;
  u32 bytes = 0;  ///< of the node: whole lines

  LANES_FN constexpr u32 per_line() const { return kLine / word; }
};

struct NodeTail {
  u32 count;    ///< entries of a leaf, children of an inner node
  u32 holds;    ///< held(slot class); 0 if the slot is free
  u64 version;  ///< of the image when the node was made
};
LANES_FN constexpr u32 held(u32 slot_class) { return slot_class + 1; }

LANES_FN constexpr u32 whole(u32 bytes, u32 unit) { return (bytes + unit - 1) / unit * unit; }

/// The shape of a node for up to `most_keys` keys of `planes` words.
LANES_FN constexpr NodeShape node_shape(bool inner, u32 word, u32 planes, u32 most_keys, u32 value_bytes) {
  NodeShape shape;
  shape.word = word;
  shape.planes = planes;
  shape.most = inner ? most_keys + 1 : most_keys;
  shape.slots = whole(most_keys, shape.per_line());
  shape.sample_slots = whole(shape.slots / shape.per_line() - 1, shape.per_line());
  shape.keys_at = shape.sample_slots * word;
  shape.payload_at = shape.keys_at + planes * shape.slots * word;
  shape.payload_bytes = inner ? sizeof(Ref) : value_bytes;
  shape.entries_at = whole(shape.payload_at + shape.most * shape.payload_bytes, 8);
  shape.tail_at = shape.entries_at + (inner ? shape.most * 8 : 0);
  shape.bytes = whole(shape.tail_at + u32(sizeof(NodeTail)), kLine);
  return shape;
}

/// A node in place in memory. Readers use the const functions only.
template <class Word>
class Node {
 public:
  LANES_FN Node(u8* at, const NodeShape& shape) : at_(at), shape_(&shape) {}

  LANES_FN const NodeShape& shape() const { return *shape_; }
  LANES_FN Word* samples() const { return reinterpret_cast<Word*>(at_); }
  LANES_FN Word* keys(u32 plane = 0) const {
    return reinterpret_cast<Word*>(at_ + shape_->keys_at) + plane * shape_->slots;
  }
  LANES_FN u8* payload(u32 i = 0) const { return at_ + shape_->payload_at + i * shape_->payload_bytes; }
  LANES_FN Ref* children() const { return reinterpret_cast<Ref*>(payload()); }
  LANES_FN u64* entries() const { return reinterpret_cast<u64*>(at_ + shape_->entries_at); }
  LANES_FN NodeTail& tail() const { return *reinterpret_cast<NodeTail*>(at_ + shape_->tail_at); }
  LANES_FN u32 count() const { return tail().count; }

 private:
  u8* at_;
  const NodeShape* shape_;
};

}  // namespace lanewise::index
