#include "index/image/geometry.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>

#include "base/error.h"

namespace lanewise::index {

namespace {

std::vector<KeyField> fields_of(const Header& header, const std::string& where) {
  std::vector<KeyField> fields;
  for (u32 i = 0; i < std::min(header.field_count, kMaxFields); ++i) {
    const FieldCode& code = header.fields[i];
    if (code.type > static_cast<u8>(TypeId::kTimeNs) || code.unit > static_cast<u8>(TimeUnit::kNano) ||
        code.precision > 38 || code.nullable > 1) {
      throw UserError(
          fmt::format("{}: field {} has a type that this version does not support", where, i + 1));
    }
    KeyField field{static_cast<TypeId>(code.type), code.nullable != 0};
    field.type.precision = code.precision;
    field.type.scale = code.scale;
    field.type.unit = static_cast<TimeUnit>(code.unit);
    fields.push_back(field);
  }
  return fields;
}

u32 in_range(u32 value, u32 least, u32 most, const char* what, const std::string& where) {
  if (value < least || value > most) {
    throw UserError(fmt::format("{}: {} must be {} to {}, not {}", where, what, least, most, value));
  }
  return value;
}

u32 whole_group(u32 bytes) { return std::clamp(std::bit_ceil(bytes), kMinGroupBytes, kMaxGroupBytes); }

}  // namespace

Geometry::Geometry(const Header& header, const std::string& where)
    : keys(fields_of(header, where)),
      inner(node_shape(true, keys.word(), keys.planes(),
                       in_range(header.inner_keys, 3, kMaxNodeKeys, "keys of an inner node", where), 0)),
      leaf(node_shape(false, keys.word(), keys.planes(),
                      in_range(header.leaf_keys, 4, kMaxNodeKeys, "keys of a leaf", where),
                      in_range(header.value_bytes, 0, kMaxValueBytes, "bytes of a value", where))),
      group_bytes(in_range(header.group_bytes, kMinGroupBytes, kMaxGroupBytes, "bytes of a group", where)),
      value_bytes(header.value_bytes),
      unique(header.unique != 0) {
  in_range(header.field_count, 1, kMaxFields, "fields of the key", where);
  const u32 fill = in_range(header.fill_percent, 50, 100, "the fill factor in percent", where);
  least_leaf = std::max(leaf.most * fill / 200, 1u);
  least_inner = std::max(inner.most * fill / 200, 2u);
  slot_bytes[kInnerNodes] = inner.bytes;
  slot_bytes[kLeaves] = leaf.bytes;
  for (u32 c = kTexts; c < kSlotClasses; ++c) slot_bytes[c] = text_slot_bytes(c);
  const u32 largest = *std::max_element(slot_bytes, slot_bytes + kSlotClasses);
  if (!std::has_single_bit(group_bytes) || largest > group_bytes - sizeof(Trailer)) {
    throw UserError(fmt::format("{}: groups of {} bytes do not fit its nodes", where, group_bytes));
  }
}

Header make_header(const std::vector<KeyField>& fields, u32 value_bytes, u32 leaf_keys, u32 inner_keys,
                   u32 fill_percent, bool unique) {
  Header header{};
  std::memcpy(header.magic, kMagic, sizeof kMagic);
  header.format = kFormat;
  header.byte_order = kByteOrder;
  header.group_bytes = kMaxGroupBytes;
  header.value_bytes = value_bytes;
  header.leaf_keys = leaf_keys;
  header.inner_keys = inner_keys;
  header.fill_percent = fill_percent;
  header.unique = unique;
  header.groups = 1;
  header.version = 1;
  const KeyLayout layout(fields);  // Throws if these fields are not a valid key.
  header.field_count = static_cast<u32>(layout.fields().size());
  for (size_t i = 0; i < fields.size(); ++i) {
    const Type& type = fields[i].type;
    header.fields[i] = {static_cast<u8>(type.id),   type.precision,     type.scale,
                        static_cast<u8>(type.unit), fields[i].nullable, {}};
  }
  const Geometry geometry(header, "index");
  header.group_bytes = whole_group(16 * std::max(geometry.inner.bytes, geometry.leaf.bytes));
  return header;
}

}  // namespace lanewise::index
