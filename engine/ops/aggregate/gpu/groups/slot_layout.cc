#include "ops/aggregate/gpu/groups/slot_layout.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "expr/codegen/emitter.h"
#include "ops/aggregate/gpu/folds-inl.h"

namespace lanewise::ops {

namespace {

using Kind = GroupCell::Kind;

/// Bytes of a block's shared memory; two blocks run on a multiprocessor at once.
constexpr size_t kShared = size_t{96} << 10;

bool is_wide(Type type) { return type.is_string() || width(type.physical()) > 8; }

/// Words of a row's rank, and which of them are strings; see RowCell.
struct RankWords {
  size_t count = 1;  // the row's own
  uint32_t texts = 0, greatest = 0;
};

/// A cell as a slot holds it: its type in sources, its bytes, what put_slots_kernel() does with it.
struct StoredCell {
  std::string type;
  size_t bytes;
  kernel::CellKind kind;
};

StoredCell stored(const GroupPlan& plan, const GroupCell& cell, const RankWords& ranks) {
  using kernel::CellKind;
  constexpr size_t kWord = 8, kGuard = 8;
  const auto sum = [](const std::string& of, size_t words) -> StoredCell {
    return {"SumCell<" + of + ">", words * kWord,
            words == 1   ? CellKind::kSum1
            : words == 2 ? CellKind::kSum2
                         : CellKind::kSum3};
  };
  switch (cell.kind) {
    case Kind::kRow:
      return {fmt::format("RowCell<{}, {}, {}>", ranks.count, ranks.texts, ranks.greatest),
              ranks.count * kWord + kGuard, CellKind::kRow};
    case Kind::kMonths:
    case Kind::kDays:
      return sum("i32", 1);
    case Kind::kMicros:
      return sum("i64", 2);
    default:
      break;
  }
  if (is_count(cell.reduction)) return {"CountCell", kWord, CellKind::kCount};
  const Type type = plan.inputs()[cell.input].arg->type;
  const std::string of = expr::device_type(type);
  const size_t width_of_it = type.is_string() ? sizeof(kernel::Text) : width(type.physical());
  const bool wide = width_of_it > kWord;
  const auto bits = [&](const char* operation, CellKind narrow_kind, CellKind wide_kind) -> StoredCell {
    return {fmt::format("BitCell<{}, Fold::{}>", of, operation), wide ? 2 * kWord : kWord,
            wide ? wide_kind : narrow_kind};
  };
  switch (cell.reduction) {
    case Reduction::kSum:
      if (cell.type == TypeId::kFloat64) return {"RealCell", kWord, CellKind::kReal};
      return sum(of, width_of_it < kWord ? 1 : wide ? 3 : 2);
    case Reduction::kCompensatedSum:
      return {"GuardedCell<ExactRealSum>", sizeof(kernel::ExactRealSum) + kGuard, CellKind::kExactSum};
    case Reduction::kProduct:
      return {"GuardedCell<Product>", sizeof(kernel::Product) + kGuard, CellKind::kProduct};
    case Reduction::kMoments:
      return {"GuardedCell<Moments>", sizeof(kernel::Moments) + kGuard, CellKind::kMoments};
    case Reduction::kBitAnd:
      return bits("kAnd", CellKind::kOr1, CellKind::kOr2);
    case Reduction::kBitOr:
      return bits("kOr", CellKind::kOr1, CellKind::kOr2);
    case Reduction::kBitXor:
      return bits("kXor", CellKind::kXor1, CellKind::kXor2);
    default:
      break;
  }
  const bool greatest = cell.reduction == Reduction::kMax;
  const std::string name = fmt::format("ExtremeCell<{}, {}>", of, greatest);
  if (type.is_string()) return {name, 4 * kWord, greatest ? CellKind::kGreatestText : CellKind::kLeastText};
  return wide ? StoredCell{name, 3 * kWord, CellKind::kWideExtreme}
              : StoredCell{name, kWord, CellKind::kExtreme};
}

RankWords rank_words_of(const GroupPlan& plan, const GroupCell& cell, const std::vector<bool>& may_be_null) {
  constexpr size_t kMost = 32;
  RankWords words{.count = 0};
  for (const GroupCell::Rank& rank : cell.ranks) {
    const GroupPlan::Input& input = plan.inputs()[rank.input];
    const Type type = input.arg->type;
    const bool says_null = may_be_null[rank.input] || input.filter != nullptr;
    if (says_null && !rank.must_be_there) ++words.count;
    if (type.is_string() && words.count < kMost) {
      words.texts |= uint32_t{1} << words.count;
      if (rank.greatest) words.greatest |= uint32_t{1} << words.count;
    }
    words.count += type.is_string() ? 3 : is_wide(type) ? 2 : 1;
  }
  if (words.count >= kMost)
    throw expr::NotOnDevice("ORDER BY so many keys in an aggregate is not supported on GPUs");
  ++words.count;
  return words;
}

}  // namespace

SlotLayout::SlotLayout(const GroupPlan& plan, const std::vector<bool>& may_be_null,
                       std::vector<KeyText> texts)
    : plan_(plan), texts_(std::move(texts)) {
  for (const ExprPtr& key : plan.keys()) size_ += is_wide(key->type) ? 16 : 8;
  size_t rows = kNone;  // the cell that counts all rows
  for (size_t i = 0; i < plan.cells().size(); ++i) {
    const GroupCell& cell = plan.cells()[i];
    const bool takes_all =
        cell.input == kNoInput || (cell.reduction != Reduction::kCountTrue && !may_be_null[cell.input] &&
                                   plan.inputs()[cell.input].filter == nullptr);
    const bool counts_rows = cell.kind == Kind::kFold && is_count(cell.reduction) && takes_all;
    types_.emplace_back();
    if (cell.of) {
      holders_.push_back(*cell.of);
    } else if (counts_rows && !cell.is_column) {
      holders_.push_back(kNone);
    } else if (counts_rows && rows != kNone) {
      holders_.push_back(rows);
    } else {
      holders_.push_back(i);
      const RankWords ranks = rank_words_of(plan, cell, may_be_null);
      StoredCell made = stored(plan, cell, ranks);
      types_.back() = std::move(made.type);
      shapes_.push_back({.kind = made.kind,
                         .words = static_cast<uint8_t>(ranks.count),
                         .at = static_cast<uint16_t>(size_),
                         .texts = ranks.texts,
                         .greatest = ranks.greatest});
      size_ += made.bytes;
      if (counts_rows) rows = i;
    }
  }
}

bool SlotLayout::is_text_elsewhere(size_t key) const {
  return plan_.keys()[key]->type.is_string() && texts_[key] != KeyText::kShort;
}

size_t SlotLayout::near_slots() const {
  return std::max<size_t>(std::bit_floor(kShared / near_stride()), 32);
}

std::optional<kernel::SlotShape> SlotLayout::shape() const {
  kernel::SlotShape shape{.bytes = static_cast<uint32_t>(size_),
                          .near_slots = static_cast<uint32_t>(near_slots()),
                          .near_shift = static_cast<uint32_t>(64 - std::bit_width(near_slots() - 1)),
                          .near_stride = static_cast<uint32_t>(near_stride()),
                          .far_stride = static_cast<uint32_t>(far_stride()),
                          .long_texts = 0,
                          .key_words = 0,
                          .cells = static_cast<uint32_t>(shapes_.size()),
                          .cell = {}};
  if (shapes_.size() > kernel::SlotShape::kMostCells) return std::nullopt;
  for (size_t key = 0; key < plan_.keys().size(); ++key) {
    if (is_text_elsewhere(key)) shape.long_texts |= uint64_t{1} << shape.key_words;
    shape.key_words += is_wide(plan_.keys()[key]->type) ? 2 : 1;
  }
  std::copy(shapes_.begin(), shapes_.end(), shape.cell);
  return shape;
}

std::string SlotLayout::text() const {
  std::string fields, hash, same, keys, merge, head, rest;
  size_t texts = 0;
  bool made = false;
  for (size_t key = 0; key < plan_.keys().size(); ++key) {
    if (is_text_elsewhere(key)) {
      const std::string test = texts == 0 ? "" : fmt::format("i == {} ? k{}.", texts, key);
      head = texts == 0 ? fmt::format("k{}.head", key) : fmt::format("{}head : {}", test, head);
      rest = texts == 0 ? fmt::format("k{}.rest", key) : fmt::format("{}rest : {}", test, rest);
      ++texts;
      made |= texts_[key] == KeyText::kMade;
    }
    const std::string type = fmt::format("{}<{}>", plan_.is_exact(key) ? "ExactKey" : "Key",
                                         expr::device_type(plan_.keys()[key]->type));
    fields += fmt::format("  {} k{};\n", texts_[key] == KeyText::kShort ? "ShortKey" : type, key);
    hash += fmt::format("    hash = k{}.hash(hash);\n", key);
    const std::string first = key == 0 ? "first" : fmt::format("read<kShared>(held.k{}.first())", key);
    same += fmt::format("{0}k{1}.template same<kShared>({2}, held.k{1})", key == 0 ? "" : " && ", key, first);
    keys += fmt::format("    k{0}.template take<kShared>(from.k{0});\n", key);
  }
  for (size_t cell = 0; cell < holders_.size(); ++cell) {
    if (!stores(cell)) continue;
    fields += fmt::format("  {} c{};\n", types_[cell], cell);
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
      "  static constexpr bool kMakesTexts = {};\n"
      "{}"
      "}};\n"
      "static_assert(sizeof(Slot) == {});\n"
      "using Table = Groups<Slot, {}, {}, {}>;\n",
      fields, hash, same.empty() ? "true" : same, keys, merge, texts, made,
      texts == 0 ? ""
                 : fmt::format("  LANES_FN const u64& rest(u32 i) const {{ return {1}; }}\n"
                               "  LANES_FN Key<Text> text(u32 i) const {{ return {{{0}, {1}}}; }}\n",
                               head, rest),
      size_, near_slots(), near_stride(), far_stride());
}

}  // namespace lanewise::ops
