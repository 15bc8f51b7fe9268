#include "ops/scan/open_scan.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <functional>
#include <mutex>

#include "ops/scan/bounds/needed_ranges.h"
#include "ops/scan/scan_input.h"
#include "ops/scan/slicing.h"
#include "ops/scan/stored_input.h"
#include "primitives/parallel.h"

namespace lanewise::ops {

namespace {

using Chunks = ColumnStore::Chunks;

std::vector<Chunks> find_all(ColumnStore& store, const std::string& identity,
                             const std::vector<size_t>& columns) {
  std::vector<Chunks> found;
  for (size_t column : columns) found.push_back(store.find(identity, column));
  return found;
}

bool complete(const std::vector<Chunks>& columns) {
  return std::all_of(columns.begin(), columns.end(), [](const Chunks& chunks) { return chunks != nullptr; });
}

/// Reads the columns' batches in several threads, until `take`, called from any of them, returns false.
void read_all(const Source& source, const std::vector<size_t>& columns, const Options& options,
              const std::function<bool(const ScanBatch&)>& take) {
  auto scan = source.scan(columns, BatchSize::kKept, options.budget, options.cancellation);
  const size_t workers =
      std::min<size_t>(static_cast<size_t>(std::max(options.threads, 1)), scan->max_workers());
  std::atomic<bool> stop{false};
  run_workers(std::max<size_t>(workers, 1), [&](size_t) {
    auto worker = scan->worker();
    try {
      while (!stop.load(std::memory_order_relaxed)) {
        auto batch = worker->next();
        if (!batch.has_value()) return;
        if (!take(*batch)) stop.store(true, std::memory_order_relaxed);
        if (options.cancellation != nullptr) options.cancellation->check();
        if (options.progress) options.progress(source.name(), scan->progress());
      }
    } catch (...) {
      stop.store(true, std::memory_order_relaxed);
      throw;
    }
  });
}

/// Reads whole columns into the store; false if memory does not allow it.
bool load(const Source& source, const std::string& identity, const std::vector<size_t>& columns,
          const Options& options) {
  auto intake = options.store->intake(identity, columns);
  read_all(source, columns, options, [&](const ScanBatch& batch) { return intake->add(batch); });
  return intake->commit();
}

OpenScan open_stored(const std::vector<Chunks>& columns, int64_t rows, const std::vector<ExprPtr>& predicates,
                     const std::optional<InputOrder>& order, const Options& options, bool expands) {
  StoredInput stored = read_stored(columns, rows, predicates, slicing_for(options, rows, expands), order);
  OpenScan open;
  open.input = std::move(stored.input);
  if (stored.skipped_rows != 0)
    open.note = fmt::format("; skipped {} of {} rows", stored.skipped_rows, stored.rows);
  return open;
}

/// The number of rows of a source, if the store has any of its columns; negative otherwise.
int64_t known_rows(const Source& source, const std::string& identity, ColumnStore& store) {
  for (size_t column = 0; column < source.schema().size(); ++column) {
    if (Chunks chunks = store.find(identity, column)) return rows_of(*chunks);
  }
  return -1;
}

/// Number of threads with work; few rows are read faster by one thread than it takes to wake another.
size_t useful_threads(const Source& source, const Options& options) {
  constexpr int64_t kRowsPerThread = 8192;
  const int64_t rows = source.estimated_rows();
  const int64_t most = rows < 0 ? INT32_MAX : rows / kRowsPerThread + 1;
  return static_cast<size_t>(std::clamp<int64_t>(options.threads, 1, most));
}

OpenScan open_source(const plan::Scan& scan, const std::string& identity,
                     const std::vector<ExprPtr>& predicates, const Options& options) {
  ScanInput::OnBatch on_batch;
  ScanInput::OnComplete on_complete;
  std::unique_ptr<Scan> rows;
  if (options.store != nullptr && options.keep_columns && !identity.empty() && !scan.columns.empty()) {
    rows = scan.source->scan(scan.columns, BatchSize::kKept, options.budget, options.cancellation);
    auto intake = options.store->intake(identity, scan.columns);
    on_batch = [intake](const ScanBatch& batch) { intake->add(batch); };
    on_complete = [intake] { intake->commit(); };
  } else if (!options.source_may_skip) {
    rows = scan.source->scan(scan.columns, BatchSize::kPassing, options.budget, options.cancellation);
  } else {
    rows = scan.source->scan_within(scan.columns, needed_ranges(predicates), options.budget,
                                    options.cancellation);
  }
  OpenScan open;
  open.input = std::make_unique<ScanInput>(std::move(rows), useful_threads(*scan.source, options),
                                           slicing_for(options, -1), options.cancellation,
                                           std::move(on_batch), std::move(on_complete));
  open.note = "; read from the source";
  return open;
}

}  // namespace

OpenScan open_scan(const plan::Scan& scan, const std::vector<ExprPtr>& predicates,
                   const std::optional<InputOrder>& order, const Options& options, bool expands) {
  const std::string identity = scan.source->identity();
  if (options.store == nullptr || identity.empty()) return open_source(scan, identity, predicates, options);

  std::vector<Chunks> columns = find_all(*options.store, identity, scan.columns);
  if (columns.empty()) {  // only the number of rows matters
    const int64_t rows = known_rows(*scan.source, identity, *options.store);
    if (rows < 0) return open_source(scan, identity, predicates, options);
    OpenScan open = open_stored(columns, rows, predicates, std::nullopt, options, expands);
    open.hot = true;
    open.note = "; hot" + open.note;
    return open;
  }
  const bool hot = complete(columns);
  if (!hot &&
      std::any_of(columns.begin(), columns.end(), [](const Chunks& chunks) { return chunks != nullptr; })) {
    std::vector<size_t> missing;
    for (size_t i = 0; i < columns.size(); ++i) {
      if (columns[i] == nullptr) missing.push_back(scan.columns[i]);
    }
    if (load(*scan.source, identity, missing, options)) {
      for (size_t i = 0; i < columns.size(); ++i) {
        if (columns[i] == nullptr) columns[i] = options.store->find(identity, scan.columns[i]);
      }
    }
  }
  if (complete(columns)) {
    OpenScan open = open_stored(columns, rows_of(*columns[0]), predicates, order, options, expands);
    open.hot = hot;
    open.note = (hot ? "; hot" : "; partly hot") + open.note;
    open.columns = columns;
    if (open.input != nullptr) return open;
  }
  columns.clear();  // allows their eviction
  return open_source(scan, identity, predicates, options);
}

std::vector<Chunks> read_columns(const Source& source, const std::vector<size_t>& columns,
                                 const Options& options) {
  const std::string identity = source.identity();
  const bool has_store = options.store != nullptr && !identity.empty();
  std::vector<Chunks> found =
      has_store ? find_all(*options.store, identity, columns) : std::vector<Chunks>(columns.size());
  std::vector<size_t> missing, places;
  for (size_t i = 0; i < columns.size(); ++i) {
    if (found[i] != nullptr) continue;
    missing.push_back(columns[i]);
    places.push_back(i);
  }
  if (missing.empty()) return found;

  std::vector<std::vector<StoredChunk>> read(missing.size());
  std::mutex mutex;
  read_all(source, missing, options, [&](const ScanBatch& batch) {
    const std::lock_guard lock(mutex);
    for (size_t i = 0; i < read.size(); ++i) read[i].push_back({batch.order, batch.batch.columns[i], {}, {}});
    return true;
  });
  for (size_t i = 0; i < missing.size(); ++i) {
    std::sort(read[i].begin(), read[i].end(),
              [](const StoredChunk& a, const StoredChunk& b) { return a.order < b.order; });
    if (has_store && options.keep_columns) options.store->put(identity, missing[i], read[i]);
    found[places[i]] = std::make_shared<const std::vector<StoredChunk>>(std::move(read[i]));
  }
  return found;
}

}  // namespace lanewise::ops
