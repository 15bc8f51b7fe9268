#include "ops/sort/pick.h"

#include <cstring>
#include <limits>

namespace lanewise::ops {

namespace {

void pick_validity(std::span<const ColumnPtr> parts, std::span<const RowOf> rows, MemoryBudget* budget,
                   std::string_view what, Column& to) {
  bool any = false;
  for (const ColumnPtr& part : parts) any |= part->nulls != 0;
  if (!any) return;
  to.validity = Buffer::allocate(bits::words(rows.size()) * sizeof(uint64_t), budget, what);
  auto* validity = to.validity.mutable_as<uint64_t>();
  bits::fill(validity, rows.size());
  for (size_t i = 0; i < rows.size(); ++i) {
    if (!parts[rows[i].part]->is_null(rows[i].row)) continue;
    bits::clear(validity, i);
    ++to.nulls;
  }
  if (to.nulls == 0) to.validity = Buffer();
}

template <class Offset>
void pick_texts(std::span<const ColumnPtr> parts, std::span<const RowOf> rows, Column& to) {
  auto* offsets = to.offsets.mutable_as<Offset>();
  auto* bytes = to.values.mutable_as<char>();
  size_t end = 0;
  offsets[0] = 0;
  for (size_t i = 0; i < rows.size(); ++i) {
    const std::string_view text = parts[rows[i].part]->text(rows[i].row);
    std::memcpy(bytes + end, text.data(), text.size());
    end += text.size();
    offsets[i + 1] = static_cast<Offset>(end);
  }
}

}  // namespace

ColumnPtr pick(Type type, std::span<const ColumnPtr> parts, std::span<const RowOf> rows, MemoryBudget* budget,
               std::string_view what) {
  auto to = std::make_shared<Column>();
  to->type = type;
  to->rows = static_cast<int64_t>(rows.size());
  pick_validity(parts, rows, budget, what, *to);
  if (type.is_string()) {
    size_t bytes = 0;
    for (const RowOf& row : rows) bytes += parts[row.part]->text(row.row).size();
    to->wide_offsets = bytes > std::numeric_limits<uint32_t>::max();
    to->values = Buffer::allocate(bytes, budget, what);
    to->offsets = Buffer::allocate((rows.size() + 1) * (to->wide_offsets ? 8 : 4), budget, what);
    to->wide_offsets ? pick_texts<uint64_t>(parts, rows, *to) : pick_texts<uint32_t>(parts, rows, *to);
    return to;
  }
  visit(type.physical(), [&](auto zero) {
    using T = decltype(zero);
    if constexpr (!std::is_same_v<T, std::string_view>) {
      to->values = Buffer::allocate(rows.size() * sizeof(T), budget, what);
      auto* values = to->values.mutable_as<T>();
      for (size_t i = 0; i < rows.size(); ++i)
        values[i] = parts[rows[i].part]->values.template as<T>()[rows[i].row];
    }
  });
  return to;
}

}  // namespace lanewise::ops
