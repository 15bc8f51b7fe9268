#include "ops/scan/gpu/device_input.h"

#include <algorithm>
#include <numeric>

#include "base/error.h"
#include "expr/codegen/emitter.h"
#include "ops/join/gpu/join_table.h"
#include "ops/scan/early_filters.h"
#include "ops/scan/open_scan.h"

namespace lanewise::ops {

namespace {

int64_t rows_in(const std::vector<ColumnPtr>& chunks) {
  return std::accumulate(chunks.begin(), chunks.end(), int64_t{0},
                         [](int64_t sum, const ColumnPtr& chunk) { return sum + chunk->rows; });
}

std::vector<ColumnPtr> columns_of(const std::vector<StoredChunk>& chunks) {
  std::vector<ColumnPtr> columns;
  for (const StoredChunk& chunk : chunks) columns.push_back(chunk.column);
  return columns;
}

/// About what it takes in a device's memory, dictionaries apart.
size_t uploaded_bytes_of(const Column& chunk) {
  return chunk.validity.size() + chunk.values.size() + chunk.offsets.size();
}

size_t bytes_of(const std::vector<DeviceStore::ColumnPtr>& parts) {
  return std::accumulate(parts.begin(), parts.end(), size_t{0},
                         [](size_t sum, const auto& part) { return sum + part->own_bytes(); });
}

/// A part may have codes and the next one plain strings.
bool have_slices(const std::vector<DeviceStore::ColumnPtr>& parts) {
  return std::ranges::all_of(parts, [](const auto& part) { return has_slices(*part); });
}

/// The largest share of `rows` that is no more than `most`, a multiple of 64 and one of several equal ones.
int64_t even_part(int64_t rows, int64_t most) {
  for (int64_t parts = (rows + most - 1) / most; parts <= rows / 64; ++parts)
    if (rows % parts == 0 && rows / parts % 64 == 0) return rows / parts;
  return 64;
}

/// The share of the device's memory for a batch that streams: another is loaded at the same time.
constexpr size_t kBatchShare = 4;
/// At most, so that a copy does not keep the user's wish to stop waiting.
constexpr size_t kMostBatchBytes = size_t{4} << 30;

}  // namespace

DeviceInput::DeviceInput(const plan::Branch& branch, std::vector<size_t> columns, const Results& results,
                         const Options& options, Accelerator& gpu)
    : branch_(branch),
      columns_(std::move(columns)),
      options_(options),
      gpu_(gpu),
      host_(columns_.size()),
      batch_rows_(gpu.batch_rows) {
  if (const auto* scan = std::get_if<const plan::Scan*>(&branch.input)) {
    scan_ = *scan;
    identity_ = scan_->source->identity();
    there_ = scan_->source->device_rows();
    if (there_ != nullptr && there_->device() != gpu.device.ordinal()) there_ = nullptr;
    if (there_ != nullptr) {
      rows_ = there_->rows();
    } else if (!identity_.empty()) {
      rows_ = gpu.store.rows(identity_);
    }
    if (rows_ < 0) read_rows();
    if (!identity_.empty()) gpu.store.set_rows(identity_, rows_);
    plan_batches();
    if (streams_) leave_out_rows(results);
    return;
  }
  if (const auto* marked = std::get_if<plan::MarkedRowsOf>(&branch.input)) {
    build_ = results[marked->pipeline].on_device;
    rows_ = batch_rows_ = static_cast<int64_t>(build_->rows());
    return;
  }
  if (const auto* result = std::get_if<plan::ResultOf>(&branch.input)) {
    if (const auto& left = results[result->pipeline].left) {
      invariant(left->gpu == &gpu, "rows are read where they were left");
      left_ = &*left;
      rows_ = 0;
      for (const arrow::DeviceBatch& batch : left->batches) left_ends_.push_back(rows_ += batch.rows);
      batch_rows_ = rows_;
      return;
    }
  }
  const auto* values = std::get_if<const plan::Values*>(&branch.input);
  const Table& table =
      values ? *(*values)->table : results[std::get<plan::ResultOf>(branch.input).pipeline].table;
  rows_ = table.rows();
  for (const Batch& batch : table.batches) {
    for (size_t place = 0; place < columns_.size(); ++place)
      host_[place].push_back(batch.columns[columns_[place]]);
  }
  plan_batches();
}

/// All parts of the column, if the store has them.
std::vector<DeviceStore::ColumnPtr> DeviceInput::stored(size_t place) const {
  if (identity_.empty() || rows_ < 0) return {};
  return gpu_.store.parts_of(identity_, scan_->columns[columns_[place]], rows_, gpu_.batch_rows);
}

/// Whether the column needs no upload, as the source has it in the device's memory.
bool DeviceInput::is_there(size_t place) const {
  return there_ != nullptr && there_->has(scan_->columns[columns_[place]]);
}

void DeviceInput::plan_batches() {
  std::vector<std::vector<DeviceStore::ColumnPtr>> resident(columns_.size());
  size_t missing = 0, kept = 0, moved = 0;  // moved: resident, but not to be had in smaller batches
  for (size_t place = 0; place < columns_.size(); ++place) {
    resident[place] = stored(place);
    if (!resident[place].empty()) {
      (have_slices(resident[place]) ? kept : moved) += bytes_of(resident[place]);
    } else if (is_there(place)) {
      missing += there_->converted_bytes(scan_->columns[columns_[place]]);
    } else {
      for (const lanewise::ColumnPtr& chunk : host(place)) missing += uploaded_bytes_of(*chunk);
    }
  }
  const size_t room = gpu_.pool.budget().limit();
  streams_ = missing != 0 && missing + kept + moved > room / 8 * 7;
  if (!streams_) return;
  const auto rows_in_batch = [&](size_t memory, size_t streamed) {
    const auto bytes = static_cast<double>(std::min(memory / kBatchShare, kMostBatchBytes));
    const auto most =
        static_cast<int64_t>(static_cast<double>(rows_) * bytes / static_cast<double>(streamed));
    return std::clamp<int64_t>(most / 64 * 64, 64, gpu_.batch_rows);
  };
  const int64_t most = rows_in_batch(room, missing + moved + kept);
  batch_rows_ = most;
  // They cannot be evicted meanwhile, and other operators need room, too.
  if (kept != 0 && kept <= room / 2) {
    const int64_t even = even_part(gpu_.batch_rows, rows_in_batch(room - kept, missing + moved));
    if (even >= most / 2) {
      batch_rows_ = even;
      resident_ = std::move(resident);
    }
  }
  for (size_t place = 0; place < columns_.size(); ++place) {
    if (!resident_.empty() && !have_slices(resident_[place])) resident_[place].clear();
    if (!is_there(place) && (resident_.empty() || resident_[place].empty())) host(place);
  }
  gpu_.feeding();
}

/// Finds the rows that filters and joins may keep, by the bounds of the columns in the host's store.
void DeviceInput::leave_out_rows(const Results& results) {
  if (identity_.empty() || options_.store == nullptr) return;
  EarlyFilters early = early_filters(*scan_, branch_);
  for (const NeededMatch& match : early.matches) {
    const auto& table = results[branch_.steps[match.step].result].on_device;
    if (table == nullptr || !table->key_range() || match.columns[0] == kComputed) continue;
    const Type type = branch_.schema[match.columns[0]].type;
    add_within(early.predicates, lanewise::column(match.columns[0], type), *table->key_range());
  }
  read_builds(early, branch_, [&](const plan::StepSpec& step) { return results[step.result].build; });
  if (early.predicates.empty()) return;
  std::vector<ColumnStore::Chunks> columns(scan_->columns.size());
  for (const ExprPtr& predicate : early.predicates) {
    for (const size_t column : columns_of(*predicate))
      if (columns[column] == nullptr)
        columns[column] = options_.store->find(identity_, scan_->columns[column]);
  }
  // A short gap costs less than a batch of its own.
  const int64_t gap = batch_rows_ / 8;
  ranges_.emplace();
  for (const RowRange& found : ranges_that_may_hold(columns, rows_, early.predicates)) {
    const int64_t first = found.first / 64 * 64, end = std::min((found.end + 63) / 64 * 64, rows_);
    if (!ranges_->empty() && first <= ranges_->back().end + gap) {
      ranges_->back().end = end;
    } else {
      ranges_->push_back({first, end});
    }
  }
}

RowRange DeviceInput::next_rows(int64_t first, int64_t most) const {
  RowRange next{first, rows_};
  if (ranges_) {
    const auto range = std::ranges::upper_bound(*ranges_, first, {}, &RowRange::end);
    next = range == ranges_->end() ? RowRange{rows_, rows_} : *range;
    next.first = std::max(first, next.first);
  }
  if (!resident_.empty()) most = std::min(most, gpu_.batch_rows - next.first % gpu_.batch_rows);
  if (left_ != nullptr && next.first < rows_) {
    const auto [batch, before] = batch_with(next.first);
    most = std::min(most, before + batch.rows - next.first);
  }
  return {next.first, std::min(next.end, next.first + most)};
}

int64_t DeviceInput::skipped_rows() const {
  if (!ranges_) return 0;
  return std::accumulate(ranges_->begin(), ranges_->end(), rows_, [](int64_t left, const RowRange& range) {
    return left - (range.end - range.first);
  });
}

/// Where their number is not known, reading the columns yields it; without a column, the source's first.
void DeviceInput::read_rows() {
  if (columns_.empty()) {
    rows_ = rows_in(columns_of(*read_columns(*scan_->source, {0}, options_)[0]));
  } else {
    rows_ = rows_in(host(0));
  }
}

/// Reads all needed columns at once that the device does not hold as a whole; of an earlier pipeline's rows
/// the wanted one.
const DeviceInput::HostColumn& DeviceInput::host(size_t wanted) {
  if (left_ != nullptr && host_[wanted].empty()) {
    for (const arrow::DeviceBatch& batch : left_->batches)
      host_[wanted].push_back(
          to_host(*batch.columns[columns_[wanted]], gpu_.staging, gpu_.stream, options_.budget));
  }
  if (!host_[wanted].empty() || scan_ == nullptr || rows_ == 0) return host_[wanted];
  std::vector<size_t> places, sources;
  for (size_t place = 0; place < columns_.size(); ++place) {
    if (!host_[place].empty()) continue;
    if (place != wanted && (is_there(place) || !stored(place).empty())) continue;
    places.push_back(place);
    sources.push_back(scan_->columns[columns_[place]]);
  }
  const auto read = read_columns(*scan_->source, sources, options_);
  for (size_t i = 0; i < places.size(); ++i) {
    host_[places[i]] = columns_of(*read[i]);
    if (rows_ >= 0 && rows_in(host_[places[i]]) != rows_)
      throw InternalError("columns of " + scan_->source->name() + " differ in their rows");
  }
  return host_[wanted];
}

std::vector<ColumnPiece> DeviceInput::pieces(size_t place, int64_t first, int64_t rows) {
  std::vector<ColumnPiece> pieces;
  int64_t begin = 0;  // of the chunk
  for (const lanewise::ColumnPtr& chunk : host(place)) {
    const int64_t from = std::max(first, begin), to = std::min(first + rows, begin + chunk->rows);
    if (from < to) pieces.push_back({chunk, from - begin, to - from});
    begin += chunk->rows;
  }
  return pieces;
}

/// The batch that an earlier pipeline left with this row, and the rows before it.
std::pair<const arrow::DeviceBatch&, int64_t> DeviceInput::batch_with(int64_t row) const {
  const auto end = std::ranges::upper_bound(left_ends_, row);
  const auto& batch = left_->batches[static_cast<size_t>(end - left_ends_.begin())];
  return {batch, *end - batch.rows};
}

DeviceStore::ColumnPtr DeviceInput::part(DeviceStore::ColumnPtr whole, int64_t first, int64_t rows) {
  if (rows == whole->rows) return whole;
  return std::make_shared<const DeviceColumn>(slice_of(whole, first, rows));
}

DeviceStore::ColumnPtr DeviceInput::column(size_t place, int64_t first, int64_t rows) {
  if (build_ != nullptr) {
    DeviceStore::ColumnPtr whole{build_, &build_->kept_or_marks(columns_[place])};
    if (rows == rows_) return whole;
    if (!has_slices(*whole))
      throw expr::NotOnDevice("parts of a text of a build side are not supported on GPUs");
    return part(std::move(whole), first, rows);
  }
  if (left_ != nullptr) {
    const auto [batch, before] = batch_with(first);
    const DeviceStore::ColumnPtr& whole = batch.columns[columns_[place]];
    if (rows == batch.rows || has_slices(*whole)) return part(whole, first - before, rows);
  }
  // A batch that was halved, as the device was full, may be in two parts.
  const bool in_one_part = first / gpu_.batch_rows == (first + rows - 1) / gpu_.batch_rows;
  if (!resident_.empty() && !resident_[place].empty() && in_one_part) {
    const DeviceStore::ColumnPtr& whole = resident_[place][static_cast<size_t>(first / gpu_.batch_rows)];
    return std::make_shared<const DeviceColumn>(slice_of(whole, first % gpu_.batch_rows, rows));
  }
  const Type type = branch_.schema[columns_[place]].type;
  const DeviceStore::Key key{identity_, scan_ ? scan_->columns[columns_[place]] : 0, first, rows};
  const bool kept = !identity_.empty() && !streams_;
  if (kept) {
    if (DeviceStore::ColumnPtr found = gpu_.store.find(key)) return found;
  }
  const DeviceUpload upload{gpu_.pool, streams_ ? gpu_.feeding() : gpu_.staging,
                            streams_ ? gpu_.copies : gpu_.stream, options_.budget};
  const bool there = is_there(place);
  auto made = std::make_shared<const DeviceColumn>(
      there ? there_->column(scan_->columns[columns_[place]], first, rows, upload)
            : to_device(type, pieces(place, first, rows), upload));
  if (!there) uploaded_.fetch_add(made->bytes(), std::memory_order_relaxed);
  if (kept) gpu_.store.put(key, made);
  return made;
}

std::vector<DeviceStore::ColumnPtr> DeviceInput::load(int64_t first, int64_t rows) {
  std::vector<DeviceStore::ColumnPtr> loaded;
  for (size_t place = 0; place < columns_.size(); ++place) {
    if (options_.cancellation != nullptr) options_.cancellation->check();
    loaded.push_back(column(place, first, rows));
  }
  return loaded;
}

std::vector<Value> DeviceInput::row(int64_t row) {
  std::vector<Value> values;
  for (const Field& field : branch_.schema) values.emplace_back(field.type);
  for (size_t place = 0; place < columns_.size(); ++place) {
    const std::vector<ColumnPiece> found = pieces(place, row, 1);
    invariant(found.size() == 1, "a row that failed is one of the input's");
    values[columns_[place]] = found[0].column->value(found[0].first);
  }
  return values;
}

}  // namespace lanewise::ops
