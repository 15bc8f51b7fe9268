#include "exec/device/device_input.h"

#include <algorithm>
#include <numeric>

#include "base/error.h"
#include "exec/open_scan.h"

namespace lanewise::exec {

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

}  // namespace

DeviceInput::DeviceInput(const Branch& branch, std::vector<size_t> columns, const std::vector<Table>& results,
                         const Options& options, Accelerator& gpu)
    : branch_(branch), columns_(std::move(columns)), options_(options), gpu_(gpu), host_(columns_.size()) {
  if (const auto* scan = std::get_if<const plan::Scan*>(&branch.input)) {
    scan_ = *scan;
    identity_ = scan_->source->identity();
    if (!identity_.empty()) rows_ = gpu.store.rows(identity_);
    if (rows_ < 0) read_rows();
    if (!identity_.empty()) gpu.store.set_rows(identity_, rows_);
    return;
  }
  const auto* values = std::get_if<const plan::Values*>(&branch.input);
  const Table& table = values ? *(*values)->table : results[std::get<ResultOf>(branch.input).pipeline];
  rows_ = table.rows();
  for (const Batch& batch : table.batches) {
    for (size_t place = 0; place < columns_.size(); ++place)
      host_[place].push_back(batch.columns[columns_[place]]);
  }
}

/// Where nobody knows how many there are, reading the columns tells; without a column, the source's first.
void DeviceInput::read_rows() {
  if (columns_.empty()) {
    rows_ = rows_in(columns_of(*read_columns(*scan_->source, {0}, options_)[0]));
  } else {
    rows_ = rows_in(host(0));
  }
}

/// Reads all needed columns at once that the device does not hold as a whole.
const DeviceInput::HostColumn& DeviceInput::host(size_t wanted) {
  if (!host_[wanted].empty() || scan_ == nullptr || rows_ == 0) return host_[wanted];
  std::vector<size_t> places, sources;
  for (size_t place = 0; place < columns_.size(); ++place) {
    const bool resident =
        rows_ >= 0 && gpu_.store.find({identity_, scan_->columns[columns_[place]], 0, rows_}) != nullptr;
    if (!host_[place].empty() || (resident && place != wanted)) continue;
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

DeviceStore::ColumnPtr DeviceInput::column(size_t place, int64_t first, int64_t rows) {
  const Type type = branch_.schema[columns_[place]].type;
  const DeviceStore::Key key{identity_, scan_ ? scan_->columns[columns_[place]] : 0, first, rows};
  if (!identity_.empty()) {
    if (DeviceStore::ColumnPtr found = gpu_.store.find(key)) return found;
  }
  auto made = std::make_shared<const DeviceColumn>(
      to_device(type, pieces(place, first, rows), {gpu_.pool, gpu_.staging, gpu_.stream, options_.budget}));
  uploaded_ += made->bytes();
  if (!identity_.empty()) gpu_.store.put(key, made);
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

}  // namespace lanewise::exec
