#include "ops/ordered_rows.h"

#include <algorithm>
#include <utility>

#include "base/arena.h"

namespace lanewise::ops {

namespace {

/// A result's batch is sealed at this size, so that growing copies little and holds little twice.
constexpr int64_t kOrderedBatch = int64_t{1} << 17;
constexpr size_t kBatchBytes = size_t{32} << 20;  // for each kBatchRows
constexpr size_t kLeastBytes = size_t{2} << 20;   // smaller columns would not move to temporary files

/// Pieces from this length on become batches of their own, without a copy.
constexpr int64_t kSharedRows = int64_t{1} << 14;

}  // namespace

void OrderedRows::append(const Chunk& chunk, MemoryBudget* budget) {
  if (chunk.active.none()) return;
  if (growing_.empty()) {
    budget_ = budget;
    for (const Field& field : schema_) growing_.emplace_back(field.type, budget, what_);
  }
  size_t bytes = 0;
  for (size_t i = 0; i < growing_.size(); ++i) {
    growing_[i].append(chunk.columns[i], chunk.active);
    bytes += growing_[i].bytes();
  }
  pieces_.push_back(
      {chunk.order, static_cast<uint32_t>(batches_.size()), growing_rows_, chunk.active.count()});
  growing_rows_ += chunk.active.count();
  auto most_bytes = kBatchBytes * static_cast<size_t>(std::max<int64_t>(batch_rows_ / kOrderedBatch, 1));
  if (budget != nullptr) most_bytes = std::min(most_bytes, std::max(budget->limit() / 32, kLeastBytes));
  if (growing_rows_ >= batch_rows_ || bytes >= most_bytes) seal();
}

std::vector<Batch> OrderedRows::take() {
  pieces_.erase(pieces_.begin(), std::ranges::find(pieces_, batches_.size(), &Piece::batch));
  for (Piece& piece : pieces_) piece.batch = 0;
  return std::exchange(batches_, {});
}

std::vector<Batch> OrderedRows::take_with_orders() {
  std::vector<Buffer> orders;
  for (const Batch& batch : batches_) {
    orders.push_back(Buffer::allocate(static_cast<size_t>(batch.rows) * sizeof(uint64_t), budget_, what_));
  }
  for (const Piece& piece : pieces_) {
    if (piece.batch == batches_.size()) break;
    std::fill_n(orders[piece.batch].mutable_as<uint64_t>() + piece.first, piece.rows, piece.order);
  }
  std::vector<Batch> batches = take();
  for (size_t i = 0; i < batches.size(); ++i) {
    auto column = std::make_shared<Column>();
    column->type = TypeId::kUInt64;
    column->rows = batches[i].rows;
    column->values = std::move(orders[i]);
    batches[i].columns.push_back(std::move(column));
  }
  return batches;
}

int64_t OrderedRows::rows() const {
  int64_t rows = growing_rows_;
  for (const Batch& batch : batches_) rows += batch.rows;
  return rows;
}

size_t OrderedRows::bytes() const {
  size_t bytes = 0;
  for (const Batch& batch : batches_) bytes += batch.bytes();
  return bytes;
}

bool OrderedRows::spilled() const {
  return std::ranges::any_of(batches_, [](const Batch& batch) {
    return std::ranges::any_of(batch.columns, [](const ColumnPtr& column) { return column->spilled(); });
  });
}

void OrderedRows::seal() {
  if (growing_rows_ == 0) return;
  Batch& batch = batches_.emplace_back();
  batch.rows = growing_rows_;
  for (Gather& gather : growing_) batch.columns.push_back(gather.finish());
  growing_rows_ = 0;
  if (budget_ != nullptr && budget_->is_short()) spill(budget_);
}

ColumnPtr share(const ColumnPtr& column, int64_t first, int64_t rows, MemoryBudget* budget,
                std::string_view what) {
  if (first == 0 && rows == column->rows) return column;
  auto part = std::make_shared<Column>(*column);
  part->rows = rows;
  auto skip = [&](const Buffer& buffer, size_t width, int64_t count) {
    const auto start = static_cast<size_t>(first) * width;
    return Buffer::wrap(buffer.data() + start, static_cast<size_t>(count) * width, column);
  };
  if (column->nulls != 0) {
    part->validity = Buffer::allocate(bits::words(static_cast<size_t>(rows)) * 8, budget, what);
    auto* words = part->validity.mutable_as<uint64_t>();
    bits::copy(column->validity.as<uint64_t>(), static_cast<size_t>(first), static_cast<size_t>(rows), words);
    part->nulls = rows - static_cast<int64_t>(bits::count(words, static_cast<size_t>(rows)));
    if (part->nulls == 0) part->validity = Buffer();
  }
  if (column->dictionary != nullptr) {
    part->values = skip(column->values, sizeof(uint32_t), rows);
  } else if (column->type.is_string()) {
    part->offsets = skip(column->offsets, column->wide_offsets ? 8 : 4, rows + 1);
  } else {
    part->values = skip(column->values, width(column->type.physical()), rows);
  }
  return part;
}

namespace {

/// Makes batches from pieces in order.
class Merger {
 public:
  Merger(Table& table, MemoryBudget* budget, std::string_view what)
      : table_(table), budget_(budget), what_(what) {
    for (const Field& field : table.schema) short_.emplace_back(field.type, budget, what);
  }

  void add(const Batch& batch, int64_t first, int64_t rows) {
    if (rows == 0) return;
    rows < kSharedRows ? copy(batch, first, rows) : share_piece(batch, first, rows);
  }

  void flush() {
    if (short_rows_ == 0) return;
    Batch& out = table_.batches.emplace_back();
    out.rows = short_rows_;
    for (Gather& gather : short_) out.columns.push_back(gather.finish());
    short_rows_ = 0;
  }

 private:
  void copy(const Batch& batch, int64_t first, int64_t rows) {
    scratch_.reset();
    const auto count = static_cast<uint32_t>(rows);
    for (size_t i = 0; i < short_.size(); ++i) {
      short_[i].append(slice(*batch.columns[i], first, count, scratch_), ActiveSet(count, scratch_));
    }
    short_rows_ += rows;
    if (short_rows_ >= kOrderedBatch) flush();
  }

  void share_piece(const Batch& batch, int64_t first, int64_t rows) {
    flush();
    Batch& out = table_.batches.emplace_back();
    out.rows = rows;
    for (const ColumnPtr& column : batch.columns)
      out.columns.push_back(share(column, first, rows, budget_, what_));
  }

  Table& table_;
  MemoryBudget* budget_;
  std::string_view what_;
  std::vector<Gather> short_;
  int64_t short_rows_ = 0;
  Arena scratch_;
};

}  // namespace

std::vector<OrderedRows::Place> OrderedRows::places(std::vector<std::unique_ptr<Sink::Local>>& locals) {
  std::vector<Place> places;
  size_t parts = 0;
  for (auto& local : locals) {
    auto& rows = static_cast<OrderedRows&>(*local);
    rows.seal();
    for (const Piece& piece : rows.pieces_)
      places.push_back(
          {piece.order, &rows.batches_[piece.batch], parts + piece.batch, piece.first, piece.rows});
    parts += rows.batches_.size();
  }
  // Chunks of one order have reached one thread in order.
  std::stable_sort(places.begin(), places.end(),
                   [](const Place& a, const Place& b) { return a.order < b.order; });
  return places;
}

Table OrderedRows::merge(const Schema& schema, std::vector<std::unique_ptr<Sink::Local>>& locals,
                         int64_t offset, int64_t limit, MemoryBudget* budget, std::string_view what) {
  const std::vector<Place> places = OrderedRows::places(locals);
  Table table{schema, {}};
  Merger merger(table, budget, what);
  int64_t skip = offset;
  int64_t left = limit < 0 ? INT64_MAX : limit;
  for (size_t i = 0; i < places.size() && left > 0;) {
    Place whole = places[i];
    for (++i; i < places.size(); ++i) {  // rows that are adjacent in the table and in the batch
      const Place& next = places[i];
      if (next.batch != whole.batch || next.first != whole.first + whole.rows) break;
      whole.rows += next.rows;
    }
    const int64_t skipped = std::min(skip, whole.rows);
    const int64_t taken = std::min(left, whole.rows - skipped);
    merger.add(*whole.batch, whole.first + skipped, taken);
    skip -= skipped;
    left -= taken;
  }
  merger.flush();
  return table;
}

}  // namespace lanewise::ops
