#include "ops/scan/column_store.h"

#include <algorithm>
#include <utility>

namespace lanewise::ops {

namespace {

void complete_bounds(StoredChunk& chunk) {
  if (!chunk.zones.empty()) return;
  chunk.zones = zones_of(*chunk.column);
  chunk.bounds = merge(chunk.zones);
}

}  // namespace

ColumnStore::ColumnStore(MemoryBudget* budget)
    : budget_(budget),
      reclaimer_(budget == nullptr ? Reclaimer() : budget->add_reclaimer([this](size_t wanted) {
        const size_t used = budget_->used(), limit = budget_->limit();
        const size_t free = used < limit ? limit - used : 0;
        return wanted > free ? evict(wanted - free) : 0;
      })) {}

ColumnStore::Chunks ColumnStore::find(const std::string& identity, size_t column) {
  return columns_.find(identity, std::to_string(column));
}

void ColumnStore::put(const std::string& identity, size_t column, std::vector<StoredChunk> chunks) {
  std::sort(chunks.begin(), chunks.end(),
            [](const StoredChunk& a, const StoredChunk& b) { return a.order < b.order; });
  size_t bytes = 0;
  for (StoredChunk& chunk : chunks) {
    complete_bounds(chunk);
    bytes += chunk.column->bytes();
  }
  columns_.put(identity, std::to_string(column),
               std::make_shared<const std::vector<StoredChunk>>(std::move(chunks)), bytes);
}

size_t ColumnStore::evict(size_t bytes) {
  size_t freed = columns_.evict(bytes);
  const std::lock_guard lock(mutex_);
  for (auto intake = intakes_.begin(); freed < bytes && intake != intakes_.end(); ++intake) {
    if (auto held = intake->lock()) freed += held->give_up();
  }
  return freed;
}

std::shared_ptr<ColumnStore::Intake> ColumnStore::intake(const std::string& identity,
                                                         const std::vector<size_t>& columns) {
  std::shared_ptr<Intake> made(new Intake(*this, identity, columns));
  std::lock_guard lock(mutex_);
  std::erase_if(intakes_, [](const std::weak_ptr<Intake>& intake) { return intake.expired(); });
  intakes_.push_back(made);
  return made;
}

ColumnStore::Intake::Intake(ColumnStore& store, std::string identity, std::vector<size_t> columns)
    : store_(store), identity_(std::move(identity)), columns_(std::move(columns)), chunks_(columns_.size()) {}

bool ColumnStore::Intake::add(const ScanBatch& batch) {
  {
    std::lock_guard lock(mutex_);
    if (given_up_) return false;
  }
  if (std::ranges::any_of(batch.batch.columns, [](const ColumnPtr& column) { return column->spilled(); })) {
    give_up();  // reading a file again is as fast
    return false;
  }
  std::vector<StoredChunk> chunks;
  for (const ColumnPtr& column : batch.batch.columns) {
    chunks.push_back({batch.order, column, {}, {}});
    complete_bounds(chunks.back());
  }
  std::lock_guard lock(mutex_);
  if (given_up_) return false;
  bytes_ += batch.batch.bytes();
  for (size_t i = 0; i < chunks.size(); ++i) chunks_[i].push_back(std::move(chunks[i]));
  // One table must not evict everything else.
  if (store_.budget_ != nullptr && bytes_ > store_.budget_->limit() / 4 * 3) {
    given_up_ = true;
    chunks_.clear();
  }
  return !given_up_;
}

bool ColumnStore::Intake::commit() {
  std::vector<std::vector<StoredChunk>> chunks;
  {
    std::lock_guard lock(mutex_);
    if (given_up_) return false;
    given_up_ = true;  // the store owns them now
    chunks = std::move(chunks_);
  }
  for (size_t i = 0; i < columns_.size(); ++i) store_.put(identity_, columns_[i], std::move(chunks[i]));
  return true;
}

size_t ColumnStore::Intake::give_up() {
  std::lock_guard lock(mutex_);
  if (given_up_) return 0;
  given_up_ = true;
  chunks_.clear();
  return bytes_;
}

}  // namespace lanewise::ops
