#include "ops/sorted_runs.h"

#include <algorithm>
#include <iterator>
#include <numeric>
#include <ranges>

#include "ops/pick.h"
#include "ops/sorted_rows.h"
#include "primitives/parallel.h"

namespace lanewise::ops {

namespace {

/// One row of this many is a sample: few enough to keep, and a search from one to the next stays in a page or
/// two.
constexpr size_t kSampled = 512;
/// Rows that are merged together, and become a batch: within a thread's share of the memory.
constexpr size_t kLeastMerged = size_t{1} << 13, kMostMerged = size_t{1} << 18;

/// Rows [first, first + count) of a part, as rows to sort.
void add_rows(size_t part, size_t first, size_t count, KeyRow* to) {
  for (size_t i = 0; i < count; ++i) to[i].row = row_of(part, first + i);
}

/// A row's values of the keys, in sequence.
std::vector<Value> values_of(std::span<const RowKey> keys, uint64_t row) {
  std::vector<Value> values;
  for (const RowKey& key : keys) values.push_back(key.parts[part_of(row)]->value(row_in_part(row)));
  return values;
}

/// Negative if row `row` of part `part` comes before a row with these values, 0 if its keys are equal.
int order_of(std::span<const RowKey> keys, size_t part, size_t row, std::span<const Value> values) {
  for (size_t k = 0; k < keys.size(); ++k) {
    const Value own = keys[k].parts[part]->value(static_cast<int64_t>(row));
    if (const int order = compare(own, values[k], keys[k].direction); order != 0) return order;
  }
  return 0;
}

}  // namespace

SortedRuns::SortedRuns(const SortColumns& columns, size_t keys, std::string_view what)
    : OrderedRows(columns.schema(), what, kSortBatch),
      columns_(columns),
      keys_(keys),
      what_(what),
      kept_(columns.schema()) {
  kept_.push_back({"", TypeId::kUInt64});
}

bool SortedRuns::any(const std::vector<std::unique_ptr<Sink::Local>>& locals) {
  bool any = false;
  for (const auto& local : locals) {
    auto& own = static_cast<SortedRuns&>(*local);
    own.seal();
    any |= !own.runs_.empty();
  }
  return any;
}

void SortedRuns::spill(MemoryBudget* budget) {
  for (const Batch& batch : take_with_orders()) {
    runs_.push_back(sorted(batch, budget));
    runs_.back().rows.spill(budget, what_);
  }
}

/// The first keys of the sort, then the order of rows that are equal in all of them.
std::vector<RowKey> SortedRuns::keys_of(std::span<const Batch* const> parts) const {
  std::vector<RowKey> keys = columns_.row_keys(parts);
  keys.resize(keys_);
  RowKey& order = keys.emplace_back(RowKey{TypeId::kUInt64, {}, {}});
  for (const Batch* part : parts) order.parts.push_back(part->columns.back().get());
  return keys;
}

SortedRuns::Run SortedRuns::sorted(const Batch& batch, MemoryBudget* budget) const {
  const auto count = static_cast<size_t>(batch.rows);
  BufferBuilder<KeyRow> rows(budget, what_);
  rows.resize(count);
  add_rows(0, 0, count, rows.data());
  const Batch* const part = &batch;
  Buffer scratch = Buffer::allocate(count * sizeof(KeyRow), budget, what_, Access::kRandom);
  const std::span all(rows.data(), count);
  sort_rows(all, scratch.mutable_as<KeyRow>(), keys_of({&part, 1}), all);
  Run run{pick_batch(kept_, {&part, 1}, all, budget, what_), {}};
  for (size_t i = 0; i * kSampled < count; ++i) rows[i] = rows[i * kSampled];
  run.samples = pick_batch(kept_, {&part, 1}, all.first((count + kSampled - 1) / kSampled), budget, what_);
  return run;
}

/// Merges ranges of all runs: a sample of all rows, sorted, says where ranges begin, and a search where in
/// each run. Ranges are sorted, which is as fast as merging many short pieces.
class SortedRuns::Merge {
 public:
  Merge(const Schema& schema, std::vector<std::unique_ptr<Sink::Local>>& locals, const EvalContext& context)
      : schema_(schema), context_(context), form_(static_cast<SortedRuns&>(*locals.front())) {
    std::vector<std::vector<Run>> runs(locals.size());
    parallel_for(locals.size(), [&](size_t i) {
      auto& local = static_cast<SortedRuns&>(*locals[i]);
      local.seal();
      local.spill(context.budget);
      runs[i] = std::move(local.runs_);
    });
    for (auto& some : runs) std::ranges::move(some, std::back_inserter(runs_));
    for (const Run& run : runs_) parts_.push_back(&run.rows);
    keys_ = form_.keys_of(parts_);
    find_starts();
  }

  Table rows(size_t first, size_t count) const {
    Table table{schema_, std::vector<Batch>(starts_.size() - 1)};
    parallel_for(table.batches.size(), [&](size_t r) {
      if (context_.cancellation != nullptr) context_.cancellation->check();
      const size_t start = position(r), end = position(r + 1);
      const size_t from = std::max(first, start);
      if (from >= end || from - first >= count) return;
      table.batches[r] = range(r, from - start, std::min(end - from, count - (from - first)));
    });
    std::erase_if(table.batches, [](const Batch& batch) { return batch.rows == 0; });
    return table;
  }

 private:
  /// starts_[r][run]: the first row of range r in a run.
  void find_starts() {
    std::vector<const Batch*> samples;
    size_t count = 0;
    for (const Run& run : runs_) {
      samples.push_back(&run.samples);
      count += static_cast<size_t>(run.samples.rows);
    }
    std::vector<KeyRow> rows(count), scratch(count);
    size_t next = 0;
    for (size_t run = 0; run < runs_.size(); ++run) {
      const auto own = static_cast<size_t>(runs_[run].samples.rows);
      add_rows(run, 0, own, rows.data() + next);
      next += own;
    }
    const std::vector<RowKey> keys = form_.keys_of(samples);
    sort_rows(rows, scratch.data(), keys, rows, context_.cancellation);
    const size_t limit = context_.budget == nullptr ? SIZE_MAX : context_.budget->limit();
    const size_t step = std::clamp(limit / 4096, kLeastMerged, kMostMerged) / kSampled;
    starts_.resize((count + step - 1) / step + 1);
    starts_.front().assign(runs_.size(), 0);
    parallel_for(starts_.size() - 2, [&](size_t r) {
      if (context_.cancellation != nullptr) context_.cancellation->check();
      starts_[r + 1] = places_of(rows[(r + 1) * step].row, keys);
    });
    for (const Batch* part : parts_) starts_.back().push_back(static_cast<size_t>(part->rows));
  }

  /// For each run, the number of its rows before a sample.
  std::vector<size_t> places_of(uint64_t sample, std::span<const RowKey> keys) const {
    const std::vector<Value> values = values_of(keys, sample);
    std::vector<size_t> places;
    for (size_t run = 0; run < runs_.size(); ++run) {
      if (run == part_of(sample)) {
        places.push_back(row_in_part(sample) * kSampled);
        continue;
      }
      const auto is_before = [&](std::span<const RowKey> of, size_t row) {
        const int order = order_of(of, run, row, values);
        return order < 0 || (order == 0 && run < part_of(sample));
      };
      const auto count_before = [&](std::span<const RowKey> of, size_t first, size_t end) {
        const std::ranges::iota_view rows(first, end);
        return *std::ranges::partition_point(rows, [&](size_t row) { return is_before(of, row); });
      };
      const size_t before = count_before(keys, 0, static_cast<size_t>(runs_[run].samples.rows));
      const size_t end = std::min(before * kSampled, static_cast<size_t>(parts_[run]->rows));
      places.push_back(before == 0 ? 0 : count_before(keys_, (before - 1) * kSampled, end));
    }
    return places;
  }

  size_t position(size_t range) const {
    return std::accumulate(starts_[range].begin(), starts_[range].end(), size_t{0});
  }

  /// Rows [first, first + count) of a range.
  Batch range(size_t r, size_t first, size_t count) const {
    std::vector<Batch> pieces;  // of the runs: a sort looks at all rows of its columns
    std::vector<const Batch*> parts;
    BufferBuilder<KeyRow> rows(context_.budget, form_.what_);
    for (size_t run = 0; run < runs_.size(); ++run) {
      const size_t from = starts_[r][run], own = starts_[r + 1][run] - from;
      if (own == 0) continue;
      rows.resize(rows.size() + own);
      add_rows(pieces.size(), 0, own, rows.data() + rows.size() - own);
      Batch& piece = pieces.emplace_back(Batch{static_cast<int64_t>(own), {}});
      for (const ColumnPtr& column : parts_[run]->columns) {
        piece.columns.push_back(
            share(column, static_cast<int64_t>(from), piece.rows, context_.budget, form_.what_));
      }
    }
    for (const Batch& piece : pieces) parts.push_back(&piece);
    const std::span all(rows.data(), rows.size());
    Buffer scratch = Buffer::allocate(all.size_bytes(), context_.budget, form_.what_, Access::kRandom);
    sort_rows(all, scratch.mutable_as<KeyRow>(), form_.keys_of(parts), all.subspan(first, count),
              context_.cancellation);
    Batch batch = pick_batch(schema_, parts, all.subspan(first, count), context_.budget, form_.what_);
    if (context_.budget != nullptr && context_.budget->is_short()) batch.spill(context_.budget, form_.what_);
    return batch;
  }

  const Schema& schema_;
  const EvalContext& context_;
  const SortedRuns& form_;
  std::vector<Run> runs_;
  std::vector<const Batch*> parts_;  // of the runs
  std::vector<RowKey> keys_;         // of the parts
  std::vector<std::vector<size_t>> starts_;
};

Table SortedRuns::merge(const Schema& schema, std::vector<std::unique_ptr<Sink::Local>>& locals, size_t first,
                        size_t count, const EvalContext& context) {
  return Merge(schema, locals, context).rows(first, count);
}

}  // namespace lanewise::ops
