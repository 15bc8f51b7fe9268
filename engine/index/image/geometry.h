#pragma once

#include <string>
#include <vector>

#include "index/image/format.h"
#include "index/image/key_layout.h"
#include "index/image/node.h"

namespace lanewise::index {

/// The layout of an image, computed from its header.
struct Geometry {
  /// Throws UserError that names the invalid part of the header; `where` is the image's name.
  Geometry(const Header& header, const std::string& where);

  KeyLayout keys;
  NodeShape inner;
  NodeShape leaf;
  u32 group_bytes;
  u32 value_bytes;
  u32 least_leaf;   ///< minimum entries of a leaf; with fewer it is merged, except the root and the last leaf
  u32 least_inner;  ///< minimum children of an inner node, likewise
  bool unique;
  u32 slot_bytes[kSlotClasses];

  u32 slots_of(u32 slot_class) const { return (group_bytes - u32(sizeof(Trailer))) / slot_bytes[slot_class]; }
};

/// The header of a new, empty image. With `group_bytes` 0, the size is chosen to fit the nodes.
Header make_header(const std::vector<KeyField>& fields, u32 value_bytes, u32 leaf_keys, u32 inner_keys,
                   u32 fill_percent, bool unique);

}  // namespace lanewise::index
