#include "exec/recursion/recursion_rows.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "base/arena.h"
#include "ops/join/parts.h"
#include "primitives/parallel.h"

namespace lanewise::exec {

namespace {

constexpr int64_t kRowsForThreads = 1 << 16;  // of a round that is worth several threads
constexpr uint32_t kRowsAtOnce = 2048;
constexpr size_t kPartsOfKeys = ops::kMostParts;

/// Some rows of a batch.
struct Slice {
  const Batch* batch;
  int64_t first;
  uint32_t rows;
};

std::vector<Slice> slices_of(const Table& table) {
  std::vector<Slice> slices;
  for (const Batch& batch : table.batches) {
    for (int64_t first = 0; first < batch.rows; first += kRowsAtOnce)
      slices.push_back(
          {&batch, first, static_cast<uint32_t>(std::min<int64_t>(kRowsAtOnce, batch.rows - first))});
  }
  return slices;
}

}  // namespace

RecursionRows::RecursionRows(const plan::Recursion& recursion, const Schema& schema, MemoryBudget* budget,
                             const Cancellation* cancellation)
    : recursion_(recursion), schema_(schema), budget_(budget), cancellation_(cancellation) {
  add_part();
}

void RecursionRows::add_part() {
  parts_.push_back(std::make_unique<KnownRows>(recursion_, schema_, budget_, cancellation_));
}

Table RecursionRows::add(Table round) {
  const bool keeps_all = !recursion_.distinct && recursion_.keys.empty();
  if (parts_.size() == 1 && (keeps_all || round.rows() < kRowsForThreads || parallelism() < 2))
    return parts_[0]->add(std::move(round));
  if (parts_.size() == 1) {
    const Table before = parts_[0]->all();
    parts_.clear();
    while (parts_.size() < kPartsOfKeys) add_part();
    add_to_parts(before);
  }
  Table added = add_to_parts(round);
  return recursion_.keys.empty() ? added : round;
}

Table RecursionRows::all() const {
  Table table{schema_, {}};
  for (const auto& part : parts_) std::ranges::move(part->all().batches, std::back_inserter(table.batches));
  return table;
}

/// What the parts make of their rows.
Table RecursionRows::add_to_parts(const Table& rows) {
  std::vector<Table> of_parts = split(rows);
  const auto add = [&](size_t part) {
    if (of_parts[part].rows() != 0) of_parts[part] = parts_[part]->add(std::move(of_parts[part]));
  };
  if (rows.rows() < kRowsForThreads) {
    for (size_t part = 0; part < kPartsOfKeys; ++part) add(part);
  } else {
    parallel_for(kPartsOfKeys, add);
  }
  Table table{schema_, {}};
  for (Table& part : of_parts) std::ranges::move(part.batches, std::back_inserter(table.batches));
  return table;
}

/// The rows of each part, in their order.
std::vector<Table> RecursionRows::split(const Table& rows) const {
  const std::vector<Slice> slices = slices_of(rows);
  const size_t threads = rows.rows() < kRowsForThreads ? 1 : std::min(parallelism(), slices.size());
  std::vector<std::unique_ptr<ops::Sink::Local>> locals(threads);
  run_workers(threads, [&](size_t thread) {
    auto local = std::make_unique<ops::RowsInParts>(schema_, kPartsOfKeys, kRecursion);
    Arena arena(budget_, kRecursion);
    for (size_t i = slices.size() * thread / threads; i < slices.size() * (thread + 1) / threads; ++i) {
      if (cancellation_ != nullptr) cancellation_->check();
      arena.reset();
      const Slice& slice = slices[i];
      ops::Chunk chunk{.order = i, .rows = slice.rows, .columns = {}, .active = ActiveSet(slice.rows, arena)};
      for (const ColumnPtr& column : slice.batch->columns)
        chunk.columns.push_back(lanewise::slice(*column, slice.first, slice.rows, arena));
      std::vector<Vector> keys = chunk.columns;
      if (!recursion_.keys.empty()) {
        keys.clear();
        for (const size_t key : recursion_.keys) keys.push_back(chunk.columns[key]);
      }
      local->append(chunk, keys, arena, budget_);
    }
    locals[thread] = std::move(local);
  });
  return ops::RowsInParts::merge(schema_, locals, kPartsOfKeys, budget_, kRecursion);
}

}  // namespace lanewise::exec
