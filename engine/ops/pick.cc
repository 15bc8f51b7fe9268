#include "ops/pick.h"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <limits>
#include <vector>

#include "ops/concat.h"
#include "primitives/parallel.h"

namespace lanewise::ops {

namespace {

constexpr size_t kPickBatch = size_t{1} << 17;
constexpr size_t kAhead = 16;  // rows to prefetch ahead, for about the latency of memory

/// Calls f(first, end) for ranges of [0, count), in parallel.
template <class F>
void for_ranges(size_t count, F f) {
  parallel_for((count + kPickBatch - 1) / kPickBatch,
               [&](size_t range) { f(range * kPickBatch, std::min(count, (range + 1) * kPickBatch)); });
}

void pick_validity(std::span<const Column* const> parts, std::span<const KeyRow> rows, MemoryBudget* budget,
                   std::string_view what, Column& to) {
  bool any = false;
  for (const Column* part : parts) any |= part->nulls != 0;
  if (!any) return;
  to.validity = Buffer::allocate(bits::words(rows.size()) * sizeof(uint64_t), budget, what);
  auto* validity = to.validity.mutable_as<uint64_t>();
  std::atomic<int64_t> nulls{0};
  bits::fill(validity, rows.size());
  for_ranges(rows.size(), [&](size_t first, size_t end) {  // of whole words
    int64_t found = 0;
    for (size_t i = first; i < end; ++i) {
      if (!parts[part_of(rows[i].row)]->is_null(row_in_part(rows[i].row))) continue;
      bits::clear(validity, i);
      ++found;
    }
    nulls += found;
  });
  to.nulls = nulls;
  if (to.nulls == 0) to.validity = Buffer();
}

template <class T>
void pick_values(std::span<const Column* const> parts, std::span<const KeyRow> rows, T* to) {
  std::vector<const T*> values;
  for (const Column* part : parts) values.push_back(part->values.as<T>());
  const auto address = [&](const KeyRow& row) { return values[part_of(row.row)] + row_in_part(row.row); };
  for_ranges(rows.size(), [&](size_t first, size_t end) {
    for (size_t i = first; i < end; ++i) {
      if (i + kAhead < end) __builtin_prefetch(address(rows[i + kAhead]));
      to[i] = *address(rows[i]);
    }
  });
}

/// The addresses of the strings, and their ends in the new column.
template <class Offset>
void find_texts(std::span<const Column* const> parts, std::span<const KeyRow> rows, const char** from,
                Offset* offsets) {
  uint64_t end = 0;
  offsets[0] = 0;
  for (size_t i = 0; i < rows.size(); ++i) {
    if (i + kAhead < rows.size()) {
      const Column& part = *parts[part_of(rows[i + kAhead].row)];
      __builtin_prefetch(part.offsets.data() +
                         size_t{row_in_part(rows[i + kAhead].row)} * (part.wide_offsets ? 8 : 4));
    }
    const std::string_view text = parts[part_of(rows[i].row)]->text(row_in_part(rows[i].row));
    from[i] = text.data();
    end += text.size();
    offsets[i + 1] = static_cast<Offset>(end);
  }
}

template <class Offset>
void copy_texts(size_t count, const char* const* from, const Offset* offsets, char* to) {
  constexpr size_t kShort = 32;  // copied as a whole: the next string or the padding overwrites the excess
  static_assert(kShort <= kPadding);
  for (size_t i = 0; i < count; ++i) {
    if (i + kAhead < count) __builtin_prefetch(from[i + kAhead]);
    const size_t size = offsets[i + 1] - offsets[i];
    if (size <= kShort) {
      std::memcpy(to + offsets[i], from[i], kShort);
    } else {
      std::memcpy(to + offsets[i], from[i], size);
    }
  }
  std::memset(to + offsets[count], 0, kShort);
}

void pick_texts(std::span<const Column* const> parts, std::span<const KeyRow> rows, MemoryBudget* budget,
                std::string_view what, Column& to) {
  std::vector<const char*> from(rows.size());
  const auto pick_as = [&](auto zero) {
    using Offset = decltype(zero);
    to.offsets = Buffer::allocate((rows.size() + 1) * sizeof(Offset), budget, what);
    auto* offsets = to.offsets.mutable_as<Offset>();
    find_texts(parts, rows, from.data(), offsets);
    to.values = Buffer::allocate(offsets[rows.size()], budget, what);
    copy_texts(rows.size(), from.data(), offsets, to.values.mutable_as<char>());
  };
  uint64_t bytes = 0;  // maximum: each row is picked once
  for (const Column* part : parts) bytes += part->offset(part->rows) - part->offset(0);
  to.wide_offsets = bytes > std::numeric_limits<uint32_t>::max();
  to.wide_offsets ? pick_as(uint64_t{}) : pick_as(uint32_t{});
}

}  // namespace

ColumnPtr pick(Type type, std::span<const Column* const> parts, std::span<const KeyRow> rows,
               MemoryBudget* budget, std::string_view what) {
  if (type.is_string() && rows.size() > kPickBatch) {
    std::vector<ColumnPtr> batches((rows.size() + kPickBatch - 1) / kPickBatch);
    for_ranges(rows.size(), [&](size_t first, size_t end) {
      batches[first / kPickBatch] = pick(type, parts, rows.subspan(first, end - first), budget, what);
    });
    return concat(batches, budget, what);
  }
  auto to = std::make_shared<Column>();
  to->type = type;
  to->rows = static_cast<int64_t>(rows.size());
  pick_validity(parts, rows, budget, what, *to);
  visit(type.physical(), [&](auto zero) {
    using T = decltype(zero);
    if constexpr (std::is_same_v<T, std::string_view>) {
      pick_texts(parts, rows, budget, what, *to);
    } else {
      to->values = Buffer::allocate(rows.size() * sizeof(T), budget, what);
      pick_values(parts, rows, to->values.template mutable_as<T>());
    }
  });
  return to;
}

Batch pick_batch(const Schema& schema, std::span<const Batch* const> parts, std::span<const KeyRow> rows,
                 MemoryBudget* budget, std::string_view what) {
  Batch batch{static_cast<int64_t>(rows.size()), {}};
  std::vector<const Column*> column(parts.size());
  for (size_t c = 0; c < schema.size(); ++c) {
    std::transform(parts.begin(), parts.end(), column.begin(),
                   [&](const Batch* part) { return part->columns[c].get(); });
    batch.columns.push_back(pick(schema[c].type, column, rows, budget, what));
  }
  return batch;
}

Table pick_table(const Schema& schema, std::span<const Batch* const> parts, std::span<const KeyRow> rows,
                 MemoryBudget* budget, std::string_view what, const Cancellation* cancellation) {
  Table table{schema, std::vector<Batch>((rows.size() + kPickBatch - 1) / kPickBatch)};
  for (size_t b = 0; b < table.batches.size(); ++b) {
    const size_t first = b * kPickBatch;
    table.batches[b].rows = static_cast<int64_t>(std::min(kPickBatch, rows.size() - first));
    table.batches[b].columns.resize(schema.size());
  }
  std::vector<const Column*> column(parts.size());
  for (size_t c = 0; c < schema.size(); ++c) {
    std::transform(parts.begin(), parts.end(), column.begin(),
                   [&](const Batch* part) { return part->columns[c].get(); });
    parallel_for(table.batches.size(), [&](size_t b) {
      if (cancellation != nullptr) cancellation->check();
      const auto some = rows.subspan(b * kPickBatch, static_cast<size_t>(table.batches[b].rows));
      table.batches[b].columns[c] = pick(schema[c].type, column, some, budget, what);
    });
  }
  return table;
}

}  // namespace lanewise::ops
