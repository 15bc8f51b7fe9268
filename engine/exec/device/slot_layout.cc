#include "exec/device/slot_layout.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "expr/device/emitter.h"

namespace lanewise::exec {

namespace {

using Keeps = DeviceAggregate::Keeps;
using Takes = DeviceAggregate::Takes;

/// Of a block's shared memory; two blocks run on a multiprocessor at once.
constexpr size_t kShared = size_t{96} << 10;

bool is_wide(Type type) { return type.is_string() || width(type.physical()) > 8; }

/// The argument's type as sources name it.
std::string argument(const GroupPlan& plan, const GroupCell& cell) {
  return expr::device_type(plan.inputs()[cell.input].arg->type);
}

std::string cell_type(const GroupPlan& plan, const GroupCell& cell) {
  switch (cell.keeps) {
    case Keeps::kCount:
      return "CountCell";
    case Keeps::kSum:
      return cell.type == TypeId::kFloat64 ? "RealCell" : "SumCell<" + argument(plan, cell) + ">";
    case Keeps::kLeast:
    case Keeps::kMost:
      break;
  }
  return fmt::format("ExtremeCell<{}, {}>", argument(plan, cell), cell.keeps == Keeps::kMost);
}

size_t cell_size(const GroupPlan& plan, const GroupCell& cell) {
  if (cell.keeps == Keeps::kCount || cell.type == TypeId::kFloat64) return 8;
  const Type type = plan.inputs()[cell.input].arg->type;
  if (type.is_string()) return 32;
  const size_t bytes = width(type.physical());
  if (cell.keeps == Keeps::kSum) return bytes <= 4 ? 8 : bytes == 8 ? 16 : 24;
  return bytes <= 8 ? 8 : 24;
}

}  // namespace

SlotLayout::SlotLayout(const GroupPlan& plan, const std::vector<bool>& may_be_null,
                       std::vector<bool> short_keys)
    : plan_(plan), short_keys_(std::move(short_keys)) {
  for (const ExprPtr& key : plan.keys()) size_ += is_wide(key->type) ? 16 : 8;
  size_t rows = kNone;  // the cell that counts all rows
  for (size_t i = 0; i < plan.cells().size(); ++i) {
    const GroupCell& cell = plan.cells()[i];
    const bool takes_all =
        cell.input == kNoInput || (cell.takes != Takes::kTrue && !may_be_null[cell.input] &&
                                   plan.inputs()[cell.input].filter == nullptr);
    const bool counts_rows = cell.keeps == Keeps::kCount && takes_all;
    if (counts_rows && !cell.is_column) {
      holders_.push_back(kNone);
    } else if (counts_rows && rows != kNone) {
      holders_.push_back(rows);
    } else {
      holders_.push_back(i);
      size_ += cell_size(plan, cell);
      if (counts_rows) rows = i;
    }
  }
}

size_t SlotLayout::near_slots() const {
  return std::max<size_t>(std::bit_floor(kShared / near_stride()), 32);
}

std::string SlotLayout::text() const {
  std::string fields, hash, same, keys, merge, head, rest;
  size_t texts = 0;
  for (size_t key = 0; key < plan_.keys().size(); ++key) {
    const bool is_text = plan_.keys()[key]->type.is_string();
    if (is_text && !short_keys_[key]) {
      const std::string test = texts == 0 ? "" : fmt::format("i == {} ? k{}.", texts, key);
      head = texts == 0 ? fmt::format("k{}.head", key) : fmt::format("{}head : {}", test, head);
      rest = texts == 0 ? fmt::format("k{}.rest", key) : fmt::format("{}rest : {}", test, rest);
      ++texts;
    }
    const std::string type = fmt::format("{}<{}>", plan_.is_exact(key) ? "ExactKey" : "Key",
                                         expr::device_type(plan_.keys()[key]->type));
    fields += fmt::format("  {} k{};\n", short_keys_[key] ? "ShortKey" : type, key);
    hash += fmt::format("    hash = k{}.hash(hash);\n", key);
    const std::string first = key == 0 ? "first" : fmt::format("read<kShared>(held.k{}.first())", key);
    same += fmt::format("{0}k{1}.template same<kShared>({2}, held.k{1})", key == 0 ? "" : " && ", key, first);
    keys += fmt::format("    k{0}.template take<kShared>(from.k{0});\n", key);
  }
  for (size_t cell = 0; cell < holders_.size(); ++cell) {
    if (!stores(cell)) continue;
    fields += fmt::format("  {} c{};\n", cell_type(plan_, plan_.cells()[cell]), cell);
    merge += fmt::format("    c{0}.template merge<kShared>(from.c{0});\n", cell);
  }
  return fmt::format(
      "struct Slot {{\n"
      "  u32 tag, nulls;\n"
      "{}"
      "  LANES_FN u64 hash() const {{\n    u64 hash = nulls;\n{}    return hash;\n  }}\n"
      "  template <bool kShared>\n"
      "  LANES_FN bool same(u64 first, const Slot& held) const {{\n    return {};\n  "
      "}}\n"
      "  template <bool kShared>\n"
      "  LANES_FN void take_key(const Slot& from) {{\n    write<kShared>(nulls, from.nulls);\n{}  }}\n"
      "  template <bool kShared>\n"
      "  LANES_FN void merge(const Slot& from) {{\n{}  }}\n"
      "  static constexpr u32 kTexts = {};\n"
      "{}"
      "}};\n"
      "static_assert(sizeof(Slot) == {});\n"
      "using Table = Groups<Slot, {}, {}, {}>;\n",
      fields, hash, same.empty() ? "true" : same, keys, merge, texts,
      texts == 0 ? ""
                 : fmt::format("  LANES_FN const u64& rest(u32 i) const {{ return {1}; }}\n"
                               "  LANES_FN Key<Text> text(u32 i) const {{ return {{{0}, {1}}}; }}\n",
                               head, rest),
      size_, near_slots(), near_stride(), far_stride());
}

}  // namespace lanewise::exec
