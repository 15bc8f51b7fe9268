#include "exec/device/slot_layout.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "expr/device/emitter.h"

namespace lanewise::exec {

namespace {

using Keeps = DeviceAggregate::Keeps;

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

/// With fewer cells than this the question whether groups are few costs more than their conflicts.
constexpr size_t kFewestGathered = 4;

/// Whether lanes can put such cells together among themselves.
bool can_gather(const GroupPlan& plan, const GroupCell& cell) {
  if (cell.keeps == Keeps::kCount) return true;
  return cell.type != TypeId::kFloat64 && !is_wide(plan.inputs()[cell.input].arg->type);
}

}  // namespace

SlotLayout::SlotLayout(const GroupPlan& plan, const std::vector<bool>& may_be_null) : plan_(plan) {
  for (const ExprPtr& key : plan.keys()) size_ += is_wide(key->type) ? 16 : 8;
  for (const GroupCell& cell : plan.cells()) {
    const bool counts =
        cell.is_column || may_be_null[cell.input] || plan.inputs()[cell.input].filter != nullptr;
    stored_.push_back(counts);
    if (counts) size_ += cell_size(plan, cell);
  }
}

size_t SlotLayout::near_slots() const {
  return std::max<size_t>(std::bit_floor(kShared / near_stride()), 32);
}

std::string SlotLayout::text() const {
  std::string fields, hash, same, keys, merge, gather;
  bool has_texts = false;
  bool gathers = static_cast<size_t>(std::count(stored_.begin(), stored_.end(), true)) >= kFewestGathered;
  for (size_t key = 0; key < plan_.keys().size(); ++key) {
    has_texts |= plan_.keys()[key]->type.is_string();
    fields += fmt::format("  {}<{}> k{};\n", plan_.is_exact(key) ? "ExactKey" : "Key",
                          expr::device_type(plan_.keys()[key]->type), key);
    hash += fmt::format("    hash = k{}.hash(hash);\n", key);
    const std::string first = key == 0 ? "first" : fmt::format("read<kShared>(held.k{}.first())", key);
    same += fmt::format("{0}k{1}.template same<kShared>({2}, held.k{1})", key == 0 ? "" : " && ", key, first);
    keys += fmt::format("    k{0} = from.k{0};\n", key);
  }
  for (size_t cell = 0; cell < stored_.size(); ++cell) {
    if (!stored_[cell]) continue;
    fields += fmt::format("  {} c{};\n", cell_type(plan_, plan_.cells()[cell]), cell);
    merge += fmt::format("    c{0}.template merge<kShared>(from.c{0});\n", cell);
    gather += fmt::format("    c{}.gather(peers);\n", cell);
    gathers &= can_gather(plan_, plan_.cells()[cell]);
  }
  return fmt::format(
      "struct Slot {{\n"
      "  u32 tag, nulls;\n"
      "{}"
      "  static constexpr bool kHasTexts = {};\n"
      "  LANES_FN u64 hash() const {{\n    u64 hash = nulls;\n{}    return hash;\n  }}\n"
      "  template <bool kShared>\n"
      "  LANES_FN bool same(u64 first, const Slot& held) const {{\n    return {};\n  "
      "}}\n"
      "  LANES_FN void take_key(const Slot& from) {{\n    nulls = from.nulls;\n{}  }}\n"
      "  template <bool kShared>\n"
      "  LANES_FN void merge(const Slot& from) {{\n{}  }}\n"
      "  static constexpr bool kGathers = {};\n"
      "{}"
      "}};\n"
      "static_assert(sizeof(Slot) == {});\n"
      "using Table = Groups<Slot, {}, {}, {}>;\n",
      fields, has_texts, hash, same.empty() ? "true" : same, keys, merge, gathers,
      gathers ? "  LANES_FN void gather(u32 peers) {\n" + gather + "  }\n" : "", size_, near_slots(),
      near_stride(), far_stride());
}

}  // namespace lanewise::exec
