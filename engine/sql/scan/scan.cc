#include "sql/scan/scan.h"

#include <algorithm>
#include <deque>
#include <optional>
#include <utility>

#include "base/error.h"
#include "expr/functions/build.h"
#include "sql/duckdb/errors.h"
#include "sql/scan/gather.h"
#include "sql/scan/json_buffer.h"
#include "sql/values/vectors.h"

namespace lanewise::sql {

namespace {

/// DuckDB's partitions (a row group of Parquet or of a table, a buffer of CSV) become one batch each: threads
/// take them as a unit, which keeps the rows' order. 122,880 rows are enough to make the
/// cost per batch negligible and few enough for min/max to skip. Smaller neighbours are merged, larger ones
/// cut.
constexpr int64_t kExpectedRows = 122'880;
constexpr int64_t kEnoughRows = 65'536;
constexpr int64_t kEnoughDictionaryRows = 16'384;  // a second dictionary would cost more than plain strings
constexpr int64_t kMostRows = int64_t{1} << 20;
constexpr int64_t kPassingRows = int64_t{1} << 14;  // with text a core's cache; fresh memory costs more
constexpr size_t kMostText = size_t{1} << 29;
constexpr int kSequenceBits = 14;
constexpr uint64_t kMostPassing = uint64_t{1} << (kSequenceBits - 1);  // batches of one partition
constexpr uint64_t kMostPartitions = uint64_t{1} << 24;

class TableFunctionScan;

class TableFunctionWorker : public ScanWorker {
 public:
  explicit TableFunctionWorker(const TableFunctionScan& scan) : scan_(scan) {}
  std::optional<ScanBatch> next() override;

 private:
  std::optional<ScanBatch> next_of_json();
  std::optional<ScanBatch> gather();
  void start();
  void start_local();
  void fetch();
  void call();
  int64_t most_rows() const;
  bool must_end_batch() const;
  ScanBatch finish();

  const TableFunctionScan& scan_;
  std::optional<duckdb::ThreadContext> thread_;
  std::optional<duckdb::ExecutionContext> execution_;
  duckdb::unique_ptr<duckdb::LocalTableFunctionState> local_;
  JsonBuffer* json_ = nullptr;          // the current buffer
  std::deque<ScanBatch> json_batches_;  // of a buffer that was read
  duckdb::DataChunk arguments_;         // of functions that map rows to rows
  duckdb::DataChunk chunk_;             // not yet appended
  bool started_ = false;
  bool ended_ = false;
  uint64_t partition_ = 0;  // of chunk_
  uint64_t sequence_ = 0;   // batches that already ended within the partition
  std::vector<ColumnGather> columns_;
  int64_t rows_ = 0;  // of the batch
  uint64_t order_ = 0;
  uint64_t last_partition_ = 0;
};

class TableFunctionScan : public Scan {
 public:
  TableFunctionScan(std::shared_ptr<const ScannedFunction> scanned, std::vector<ScannedColumn> columns,
                    const std::vector<NeededRange>& ranges, BatchSize size, MemoryBudget* budget,
                    const Cancellation* cancellation)
      : scanned_(std::move(scanned)),
        columns_(std::move(columns)),
        size_(size),
        budget_(budget),
        cancellation_(cancellation) {
    const duckdb::TableFunction& function = scanned_->function();
    if (function.projection_pushdown) {
      for (const ScannedColumn& column : columns_) select(column.id, column.type);
      if (columns_.empty()) select_any();
    } else {
      for (size_t i = 0; i < scanned_->types().size(); ++i) select(i, scanned_->types()[i]);
    }
    for (const NeededRange& range : ranges) need(range);
    if (function.init_global) {
      auto input = init_input();
      global_ = function.init_global(scanned_->context(), input);
    }
    if (scanned_->is_json()) {
      size_t row_bytes = 0;
      for (const duckdb::LogicalType& type : types_) row_bytes += duckdb::GetTypeIdSize(type.InternalType());
      const JsonThreads threads = JsonThreads::of(*scanned_, *global_, row_bytes);
      max_workers_ = threads.number;
      takes_json_buffers_ = threads.take_buffers && threads.number > 1;
    } else if (function.function && function.get_partition_data && global_) {
      max_workers_ = std::max<size_t>(1, global_->MaxThreads());
    }
  }

  std::unique_ptr<ScanWorker> worker() override { return std::make_unique<TableFunctionWorker>(*this); }

  size_t max_workers() const override { return max_workers_; }

  double progress() const override {
    const auto progress = scanned_->function().table_scan_progress;
    if (!progress) return -1;
    const double percent = progress(scanned_->context(), scanned_->bind_data(), global_.get());
    return percent < 0 ? -1 : std::min(percent / 100, 1.0);
  }

  duckdb::TableFunctionInitInput init_input() const {
    return {scanned_->bind_data(), ids_, duckdb::vector<duckdb::idx_t>(),
            filters_.filters.empty() ? nullptr : &filters_};
  }
  const ScannedFunction& scanned() const { return *scanned_; }
  const std::vector<ScannedColumn>& columns() const { return columns_; }
  /// The index of column `i` in the function's output.
  size_t position(size_t i) const { return scanned_->function().projection_pushdown ? i : columns_[i].id; }
  const duckdb::vector<duckdb::LogicalType>& types() const { return types_; }
  duckdb::GlobalTableFunctionState* global() const { return global_.get(); }
  BatchSize size() const { return size_; }
  bool takes_json_buffers() const { return takes_json_buffers_; }
  MemoryBudget* budget() const { return budget_; }
  const Cancellation* cancellation() const { return cancellation_; }

 private:
  void need(const NeededRange& range) {
    auto bounds = duckdb::make_uniq<duckdb::ConjunctionAndFilter>();
    const auto add = [&](duckdb::ExpressionType op, const Value& value) {
      if (!value.is_null())
        bounds->child_filters.push_back(
            duckdb::make_uniq<duckdb::ConstantFilter>(op, value_at(*make_column(value.type(), {value}), 0)));
    };
    add(duckdb::ExpressionType::COMPARE_GREATERTHANOREQUALTO, range.least);
    add(duckdb::ExpressionType::COMPARE_LESSTHANOREQUALTO, range.greatest);
    filters_.filters.emplace(range.column, std::move(bounds));
  }
  void select(duckdb::column_t id, const duckdb::LogicalType& type) {
    ids_.emplace_back(id);
    types_.push_back(type);
  }
  /// Selects any column, to count rows.
  void select_any() {
    if (scanned_->has_virtual(duckdb::COLUMN_IDENTIFIER_EMPTY)) {
      select(duckdb::COLUMN_IDENTIFIER_EMPTY, duckdb::LogicalType::BOOLEAN);
    } else if (scanned_->has_virtual(duckdb::COLUMN_IDENTIFIER_ROW_ID)) {
      select(duckdb::COLUMN_IDENTIFIER_ROW_ID, duckdb::LogicalType::ROW_TYPE);
    } else {
      select(0, scanned_->types()[0]);
    }
  }

  std::shared_ptr<const ScannedFunction> scanned_;
  std::vector<ScannedColumn> columns_;
  BatchSize size_;
  MemoryBudget* budget_;
  const Cancellation* cancellation_;
  duckdb::vector<duckdb::ColumnIndex> ids_;
  duckdb::vector<duckdb::LogicalType> types_;  // of the function's output
  mutable duckdb::TableFilterSet filters_;     // by index in ids_; DuckDB's interface takes no constant
  duckdb::unique_ptr<duckdb::GlobalTableFunctionState> global_;
  bool takes_json_buffers_ = false;
  size_t max_workers_ = 1;  // 1 if the order of rows is not known otherwise
};

std::optional<ScanBatch> TableFunctionWorker::next() {
  return translated([&] { return scan_.takes_json_buffers() ? next_of_json() : gather(); });
}

void TableFunctionWorker::start() {
  started_ = true;
  const ScannedFunction& scanned = scan_.scanned();
  thread_.emplace(scanned.context());
  execution_.emplace(scanned.context(), *thread_, nullptr);
  if (!scanned.function().function) {
    duckdb::vector<duckdb::LogicalType> types;
    for (const duckdb::Value& parameter : scanned.parameters()) types.push_back(parameter.type());
    arguments_.Initialize(duckdb::Allocator::DefaultAllocator(), types);
    for (size_t i = 0; i < types.size(); ++i) arguments_.data[i].Reference(scanned.parameters()[i]);
    arguments_.SetCardinality(1);
  }
  chunk_.Initialize(duckdb::Allocator::Get(scanned.context()), scan_.types());
  const int64_t estimate = scanned.estimated_rows();
  const int64_t usual = std::min(kExpectedRows, most_rows());
  const int64_t expected = estimate < 0 ? usual : std::min(estimate, usual);
  for (const ScannedColumn& column : scan_.columns()) {
    columns_.emplace_back(column.type, column.ours, expected, scan_.budget());
  }
  start_local();
}

void TableFunctionWorker::start_local() {
  const duckdb::TableFunction& function = scan_.scanned().function();
  if (!function.init_local) return;
  local_ = nullptr;  // releases memory for the next one
  auto input = scan_.init_input();
  try {
    local_ = function.init_local(*execution_, input, scan_.global());
  } catch (const std::exception& error) {
    // Whether it has claimed a buffer is unknown: threads that wait for it see that the query has failed.
    if (scan_.takes_json_buffers())
      scan_.scanned().context().GetExecutor().PushError(duckdb::ErrorData(error));
    throw;
  }
}

/// Calls the function once. Afterwards chunk_ may be empty although rows follow.
void TableFunctionWorker::call() {
  const ScannedFunction& scanned = scan_.scanned();
  const duckdb::TableFunction& function = scanned.function();
  if (json_ != nullptr) {
    json_->read(chunk_);
    ended_ = chunk_.size() == 0;
    return;
  }
  duckdb::TableFunctionInput input(scanned.bind_data(), local_.get(), scan_.global());
  if (!function.function) {
    function.in_out_function(*execution_, input, arguments_, chunk_);
    if (chunk_.size() == 0 && function.in_out_function_final)
      function.in_out_function_final(*execution_, input, chunk_);
    ended_ = chunk_.size() == 0;
    return;
  }
  // In the synchronous mode the first thread of a scan of files that finds no more work ends it for all.
  input.results_execution_mode = duckdb::AsyncResultsExecutionMode::TASK_EXECUTOR;
  input.async_result = duckdb::AsyncResultType::IMPLICIT;
  function.function(scanned.context(), input, chunk_);
  switch (input.async_result.GetResultType()) {
    case duckdb::AsyncResultType::BLOCKED:
      input.async_result.ExecuteTasksSynchronously();
      break;
    case duckdb::AsyncResultType::HAVE_MORE_OUTPUT:
      break;
    case duckdb::AsyncResultType::IMPLICIT:
      ended_ = chunk_.size() == 0;
      break;
    default:
      ended_ = true;
  }
}

/// Fetches the next rows into chunk_; none at the end.
void TableFunctionWorker::fetch() {
  const ScannedFunction& scanned = scan_.scanned();
  do {
    if (scan_.cancellation() != nullptr) scan_.cancellation()->check();
    chunk_.Reset();
    call();
  } while (chunk_.size() == 0 && !ended_);
  if (chunk_.size() == 0 || !scanned.function().get_partition_data) return;
  const auto by_index = duckdb::OperatorPartitionInfo::BatchIndex();
  duckdb::TableFunctionGetPartitionInput input(scanned.bind_data(), local_.get(), scan_.global(), by_index);
  const uint64_t partition = scanned.function().get_partition_data(scanned.context(), input).batch_index;
  invariant(partition < kMostPartitions, "partitions of a scan have small numbers");
  if (partition != partition_) sequence_ = 0;
  partition_ = partition;
}

int64_t TableFunctionWorker::most_rows() const {
  return scan_.size() == BatchSize::kPassing && sequence_ < kMostPassing ? kPassingRows : kMostRows;
}

/// Whether chunk_ begins another batch.
bool TableFunctionWorker::must_end_batch() const {
  if (rows_ == 0) return false;
  if (rows_ >= most_rows()) return true;
  const auto text = [](const ColumnGather& column) { return column.text_bytes() >= kMostText; };
  if (std::any_of(columns_.begin(), columns_.end(), text)) return true;
  if (partition_ == last_partition_) return false;
  const auto dictionary = [](const ColumnGather& column) { return column.is_dictionary(); };
  const bool any_dictionary = std::any_of(columns_.begin(), columns_.end(), dictionary);
  return partition_ != last_partition_ + 1 || rows_ >= (any_dictionary ? kEnoughDictionaryRows : kEnoughRows);
}

ScanBatch TableFunctionWorker::finish() {
  ScanBatch result;
  result.order = order_;
  result.batch.rows = std::exchange(rows_, 0);
  for (ColumnGather& column : columns_) result.batch.columns.push_back(column.finish());
  return result;
}

/// The next batch of a buffer. The buffer is read to its end before the first of them is returned: the
/// caller may make other threads wait, or not call again.
std::optional<ScanBatch> TableFunctionWorker::next_of_json() {
  while (json_batches_.empty()) {
    if (started_) {
      start_local();
    } else {
      start();
    }
    if (!local_) return std::nullopt;
    ended_ = false;
    JsonBuffer buffer(scan_.scanned(), *scan_.global(), *local_);
    json_ = &buffer;
    while (auto batch = gather()) json_batches_.push_back(std::move(*batch));
  }
  ScanBatch batch = std::move(json_batches_.front());
  json_batches_.pop_front();
  return batch;
}

std::optional<ScanBatch> TableFunctionWorker::gather() {
  if (!started_) start();
  while (true) {
    if (chunk_.size() == 0 && !ended_) fetch();
    if (chunk_.size() == 0) {
      if (rows_ == 0) return std::nullopt;
      return finish();
    }
    if (must_end_batch()) return finish();
    if (rows_ == 0) order_ = partition_ << kSequenceBits | sequence_++;
    const auto rows = static_cast<int64_t>(chunk_.size());
    for (size_t i = 0; i < columns_.size(); ++i) columns_[i].append(chunk_.data[scan_.position(i)], rows);
    rows_ += rows;
    last_partition_ = partition_;
    chunk_.SetCardinality(0);
  }
}

}  // namespace

ScannedFunction::ScannedFunction(duckdb::ClientContext& context, duckdb::LogicalGet& get)
    : context_(context),
      function_(get.function),
      bind_data_(std::move(get.bind_data)),
      types_(get.returned_types.begin(), get.returned_types.end()),
      parameters_(get.parameters.begin(), get.parameters.end()),
      named_parameters_(get.named_parameters) {
  for (const auto& [id, column] : get.virtual_columns) virtual_columns_.push_back(id);
  if (!function_.cardinality) return;
  const auto statistics = function_.cardinality(context, bind_data_.get());
  if (statistics && statistics->has_estimated_cardinality) {
    estimated_rows_ = static_cast<int64_t>(statistics->estimated_cardinality);
  }
}

bool ScannedFunction::has_virtual(duckdb::column_t id) const {
  return std::find(virtual_columns_.begin(), virtual_columns_.end(), id) != virtual_columns_.end();
}

bool ScannedFunction::is_json(const duckdb::TableFunction& function) {
  return function.name.starts_with("read_json") || function.name.starts_with("read_ndjson");
}

std::unique_ptr<Scan> start_scan(std::shared_ptr<const ScannedFunction> function,
                                 std::vector<ScannedColumn> columns, const std::vector<NeededRange>& ranges,
                                 BatchSize size, MemoryBudget* budget, const Cancellation* cancellation) {
  return std::make_unique<TableFunctionScan>(std::move(function), std::move(columns), ranges, size, budget,
                                             cancellation);
}

}  // namespace lanewise::sql
