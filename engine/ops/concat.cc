#include "ops/concat.h"

#include <cstring>
#include <limits>

#include "base/bits.h"
#include "base/error.h"
#include "primitives/parallel.h"

namespace lanewise::ops {

namespace {

/// The bytes of a column's strings.
uint64_t text_bytes(const Column& column) { return column.offset(column.rows) - column.offset(0); }

void add_validity(std::span<const ColumnPtr> parts, Column& all, MemoryBudget* budget,
                  std::string_view what) {
  for (const ColumnPtr& part : parts) all.nulls += part->nulls;
  if (all.nulls == 0) return;
  const size_t words = bits::words(static_cast<size_t>(all.rows));
  all.validity = Buffer::allocate(words * sizeof(uint64_t), budget, what);
  auto* to = all.validity.mutable_as<uint64_t>();
  bits::fill(to, static_cast<size_t>(all.rows));
  size_t row = 0;
  for (const ColumnPtr& part : parts) {
    for (int64_t i = 0; part->nulls != 0 && i < part->rows; ++i) {
      if (part->is_null(i))
        to[(row + static_cast<size_t>(i)) / 64] &= ~(uint64_t{1} << (row + static_cast<size_t>(i)) % 64);
    }
    row += static_cast<size_t>(part->rows);
  }
}

template <class Offset>
void add_texts(std::span<const ColumnPtr> parts, const std::vector<int64_t>& firsts, Column& all,
               MemoryBudget* budget, std::string_view what) {
  std::vector<uint64_t> bases;
  uint64_t bytes = 0;
  for (const ColumnPtr& part : parts) {
    bases.push_back(bytes);
    bytes += text_bytes(*part);
  }
  all.values = Buffer::allocate(bytes, budget, what);
  all.offsets = Buffer::allocate(static_cast<size_t>(all.rows + 1) * sizeof(Offset), budget, what);
  auto* offsets = all.offsets.mutable_as<Offset>();
  offsets[all.rows] = static_cast<Offset>(bytes);
  parallel_for(parts.size(), [&](size_t p) {
    const Column& part = *parts[p];
    const uint64_t from = part.offset(0);
    std::memcpy(all.values.mutable_data() + bases[p], part.values.data() + from, text_bytes(part));
    for (int64_t i = 0; i < part.rows; ++i)
      offsets[firsts[p] + i] = static_cast<Offset>(bases[p] + part.offset(i) - from);
  });
}

}  // namespace

ColumnPtr concat(std::span<const ColumnPtr> parts, MemoryBudget* budget, std::string_view what) {
  if (parts.empty()) throw InternalError("no columns to put together");
  if (parts.size() == 1) return parts[0];
  auto all = std::make_shared<Column>();
  all->type = parts[0]->type;
  std::vector<int64_t> firsts;
  uint64_t bytes = 0;
  for (const ColumnPtr& part : parts) {
    if (part->dictionary != nullptr) throw InternalError("a column to put together has a dictionary");
    firsts.push_back(all->rows);
    all->rows += part->rows;
    if (all->type.is_string()) bytes += text_bytes(*part);
  }
  add_validity(parts, *all, budget, what);
  if (all->type.is_string()) {
    all->wide_offsets = bytes > std::numeric_limits<uint32_t>::max();
    all->wide_offsets ? add_texts<uint64_t>(parts, firsts, *all, budget, what)
                      : add_texts<uint32_t>(parts, firsts, *all, budget, what);
    return all;
  }
  const size_t width = lanewise::width(all->type.physical());
  all->values = Buffer::allocate(static_cast<size_t>(all->rows) * width, budget, what, Access::kRandom);
  parallel_for(parts.size(), [&](size_t p) {
    std::memcpy(all->values.mutable_data() + static_cast<size_t>(firsts[p]) * width, parts[p]->values.data(),
                static_cast<size_t>(parts[p]->rows) * width);
  });
  return all;
}

}  // namespace lanewise::ops
