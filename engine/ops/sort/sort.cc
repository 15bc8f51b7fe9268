#include "ops/sort/sort.h"

#include <tbb/parallel_for.h>
#include <tbb/parallel_sort.h>

#include <algorithm>
#include <bit>
#include <cstring>

#include "base/error.h"
#include "ops/gather.h"
#include "ops/sort/pick.h"
#include "primitives/sort_keys.h"

namespace lanewise::ops {

namespace {

constexpr const char* kWhat = "ORDER BY";
constexpr size_t kBatchRows = size_t{1} << 18;
/// A top-n drops its surplus once it holds so many rows more than it needs.
constexpr size_t kSurplus = size_t{1} << 14;
/// Beyond this a top-n is a sort that is cut off at its end.
constexpr size_t kMostKept = size_t{1} << 20;

/// A row with its encoded key and its place in the input, which decides between equal keys.
struct Entry {
  uint64_t prefix;       // the key's first 8 bytes, most significant first
  std::string_view key;  // encoded, see SortKeys
  uint64_t order;        // of the row's chunk
  uint32_t chunk_row;
  RowOf row;
};

uint64_t prefix_of(std::string_view key) {
  uint64_t prefix = 0;
  std::memcpy(&prefix, key.data(), std::min(key.size(), sizeof(prefix)));
  return __builtin_bswap64(prefix);
}

bool before(const Entry& a, const Entry& b) {
  if (a.prefix != b.prefix) return a.prefix < b.prefix;
  const int order = a.key.compare(b.key);
  if (order != 0) return order < 0;
  return a.order != b.order ? a.order < b.order : a.chunk_row < b.chunk_row;
}

/// The same order, stopping now and then to see whether the work was cancelled.
struct Before {
  const Cancellation* cancellation;
  bool operator()(const Entry& a, const Entry& b) const {
    static thread_local uint32_t compared = 0;
    if (++compared % (1 << 16) == 0 && cancellation != nullptr) cancellation->check();
    return before(a, b);
  }
};

/// Rows that one thread has seen.
struct Rows : Sink::Local {
  Rows(const Schema& schema, MemoryBudget* budget)
      : keys(std::make_unique<Arena>(budget, kWhat)), entries(budget, kWhat) {
    for (const Field& field : schema) payload.emplace_back(field.type, budget, kWhat);
  }

  std::vector<Gather> payload;
  std::unique_ptr<Arena> keys;
  BufferBuilder<Entry> entries;
  std::string worst;  // top-n: the greatest key that can still be part of the result
  bool full = false;  // worst is known
};

class Sort : public Sink {
 public:
  Sort(const plan::Sort& sort, const Schema& input)
      : sort_(sort), input_(input), encoder_(make_encoder(sort)) {
    if (sort.limit >= 0) needed_ = static_cast<size_t>(sort.offset) + static_cast<size_t>(sort.limit);
    bounded_ = sort.limit >= 0 && needed_ <= kMostKept;
  }

  std::unique_ptr<Local> local() const override { return std::make_unique<LateRows>(); }

  void consume(Local& local, const Chunk& chunk, EvalContext& context) const override {
    auto& late = static_cast<LateRows&>(local);
    if (!late.rows) late.rows = std::make_unique<Rows>(input_, context.budget);
    Rows& rows = *late.rows;

    std::vector<Vector> vectors;
    for (const plan::SortKey& key : sort_.keys) {
      vectors.push_back(evaluate(*key.expr, chunk.columns, chunk.active, context));
    }
    std::vector<KeyWords> words;
    for (const Vector& vector : vectors) words.push_back(key_words(vector, chunk.active));
    const auto active = chunk.active.list();
    auto* encoded = context.arena->allocate<std::string_view>(active.size());
    encoder_.encode(words, active, *context.arena, encoded);

    auto* keep = context.arena->allocate<uint64_t>(bits::words(chunk.rows) + 1);
    std::fill_n(keep, bits::words(chunk.rows), 0);
    for (size_t i = 0; i < active.size(); ++i) {
      if (rows.full && encoded[i] > std::string_view(rows.worst)) continue;
      bits::set(keep, active[i]);
      const auto row = static_cast<uint32_t>(rows.entries.size());
      const std::string_view key = keep_key(*rows.keys, encoded[i]);
      rows.entries.push_back({prefix_of(key), key, chunk.order, active[i], {0, row}});
    }
    const ActiveSet kept = chunk.active.narrowed(keep);
    for (size_t c = 0; c < chunk.columns.size(); ++c) rows.payload[c].append(chunk.columns[c], kept);
    if (bounded_ && rows.entries.size() > needed_ + std::max(needed_, kSurplus)) prune(late, context);
  }

  Table finish(std::vector<std::unique_ptr<Local>> locals, EvalContext& context) override {
    BufferBuilder<Entry> entries(context.budget, kWhat);
    std::vector<std::vector<ColumnPtr>> parts(input_.size());  // by column, by local
    uint32_t part = 0;
    for (auto& local : locals) {
      auto& late = static_cast<LateRows&>(*local);
      if (!late.rows) continue;
      const size_t first = entries.size();
      entries.append(late.rows->entries.data(), late.rows->entries.size());
      for (size_t i = first; i < entries.size(); ++i) entries[i].row.part = part;
      for (size_t c = 0; c < input_.size(); ++c) parts[c].push_back(late.rows->payload[c].finish());
      ++part;
    }
    Entry* const begin = entries.data();
    size_t count = entries.size();
    const Before less{context.cancellation};
    if (sort_.limit >= 0 && needed_ < count) {
      std::nth_element(begin, begin + needed_, begin + count, less);
      count = needed_;
    }
    tbb::parallel_sort(begin, begin + count, less);
    const size_t first = std::min(static_cast<size_t>(sort_.offset), count);
    return table(parts, begin + first, count - first, context);
  }

 private:
  /// Made at the first chunk, when the budget is known.
  struct LateRows : Local {
    std::unique_ptr<Rows> rows;
  };

  static SortKeys make_encoder(const plan::Sort& sort) {
    std::vector<Type> types;
    std::vector<SortDirection> directions;
    for (const plan::SortKey& key : sort.keys) {
      types.push_back(key.expr->type);
      directions.push_back({key.descending, key.nulls_first});
    }
    return {types, directions};
  }

  /// Arenas round allocations up to whole lines; keys are packed into pieces of one.
  static std::string_view keep_key(Arena& arena, std::string_view key) { return arena.copy_packed(key); }

  /// Keeps the first `needed_` rows of those gathered.
  void prune(LateRows& late, const EvalContext& context) const {
    Rows& rows = *late.rows;
    Entry* const begin = rows.entries.data();
    const Before less{context.cancellation};
    std::nth_element(begin, begin + needed_, begin + rows.entries.size(), less);
    auto pruned = std::make_unique<Rows>(input_, context.budget);
    std::vector<RowOf> kept;
    for (size_t i = 0; i < needed_; ++i) {
      const Entry& entry = begin[i];
      kept.push_back(entry.row);
      const std::string_view key = keep_key(*pruned->keys, entry.key);
      pruned->entries.push_back(
          {entry.prefix, key, entry.order, entry.chunk_row, {0, static_cast<uint32_t>(i)}});
      if (key > std::string_view(pruned->worst)) pruned->worst = key;
    }
    pruned->full = true;
    Arena arena(context.budget, kWhat);
    for (size_t c = 0; c < input_.size(); ++c) {
      const ColumnPtr all = rows.payload[c].finish();
      const ColumnPtr some = pick(input_[c].type, {&all, 1}, kept, context.budget, kWhat);
      const auto count = static_cast<uint32_t>(kept.size());
      pruned->payload[c].append(slice(*some, 0, count, arena), ActiveSet(count, arena));
    }
    late.rows = std::move(pruned);
  }

  Table table(const std::vector<std::vector<ColumnPtr>>& parts, const Entry* entries, size_t count,
              const EvalContext& context) const {
    Table table{input_, std::vector<Batch>((count + kBatchRows - 1) / kBatchRows)};
    tbb::parallel_for(size_t{0}, table.batches.size(), [&](size_t b) {
      if (context.cancellation != nullptr) context.cancellation->check();
      const size_t first = b * kBatchRows;
      std::vector<RowOf> rows;
      for (size_t i = first; i < std::min(first + kBatchRows, count); ++i) rows.push_back(entries[i].row);
      Batch& batch = table.batches[b];
      batch.rows = static_cast<int64_t>(rows.size());
      for (size_t c = 0; c < input_.size(); ++c) {
        batch.columns.push_back(pick(input_[c].type, parts[c], rows, context.budget, kWhat));
      }
    });
    return table;
  }

  plan::Sort sort_;
  Schema input_;
  SortKeys encoder_;
  size_t needed_ = 0;     // with a limit: rows that the result is cut from
  bool bounded_ = false;  // few enough to drop others on the way
};

}  // namespace

std::unique_ptr<Sink> make_sort(const plan::Sort& sort, const Schema& input) {
  return std::make_unique<Sort>(sort, input);
}

}  // namespace lanewise::ops
