#include "exec/gpu/input/device_store.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace lanewise::exec {

std::string DeviceStore::Key::text() const {
  return fmt::format("{} {} {} {}", column, first, rows, identity);
}

DeviceStore::DeviceStore(MemoryBudget& budget)
    : reclaimer_(budget.add_reclaimer([this](size_t wanted) { return evict(wanted); })) {}

DeviceStore::ColumnPtr DeviceStore::find(const Key& key) {
  const std::lock_guard lock(mutex_);
  const auto found = index_.find(key.text());
  if (found == index_.end()) return nullptr;
  entries_.splice(entries_.begin(), entries_, found->second);
  return found->second->column;
}

void DeviceStore::put(const Key& key, ColumnPtr column) {
  std::string text = key.text();
  const std::lock_guard lock(mutex_);
  if (const auto found = index_.find(text); found != index_.end()) erase(found->second);
  bytes_ += column->own_bytes();
  entries_.push_front({text, std::move(column)});
  index_[std::move(text)] = entries_.begin();
}

std::vector<DeviceStore::ColumnPtr> DeviceStore::parts_of(const std::string& identity, size_t column,
                                                          int64_t rows, int64_t part_rows) {
  std::vector<ColumnPtr> parts;
  for (int64_t first = 0; first < rows; first += part_rows) {
    parts.push_back(find({identity, column, first, std::min(part_rows, rows - first)}));
    if (parts.back() == nullptr) return {};
  }
  return parts;
}

int64_t DeviceStore::rows(const std::string& identity) {
  const std::lock_guard lock(mutex_);
  const auto found = rows_.find(identity);
  return found == rows_.end() ? -1 : found->second;
}

void DeviceStore::set_rows(const std::string& identity, int64_t rows) {
  const std::lock_guard lock(mutex_);
  rows_[identity] = rows;
}

void DeviceStore::erase(std::list<Entry>::iterator entry) {
  bytes_ -= entry->column->own_bytes();
  index_.erase(entry->key);
  entries_.erase(entry);
}

size_t DeviceStore::evict(size_t bytes) {
  const std::lock_guard lock(mutex_);
  size_t freed = 0;
  for (auto entry = entries_.end(); freed < bytes && entry != entries_.begin();) {
    --entry;
    if (entry->column.use_count() > 1 || entry->column->own_bytes() == 0)
      continue;  // a query reads it; it is another's
    freed += entry->column->own_bytes();
    erase(entry++);
  }
  return freed;
}

void DeviceStore::forget(const std::string& identity) {
  const std::lock_guard lock(mutex_);
  const std::string end = " " + identity;
  for (auto entry = entries_.begin(); entry != entries_.end();) {
    const auto next = std::next(entry);
    if (entry->key.ends_with(end)) erase(entry);
    entry = next;
  }
  rows_.erase(identity);
}

void DeviceStore::clear() {
  const std::lock_guard lock(mutex_);
  index_.clear();
  entries_.clear();
  rows_.clear();
  bytes_ = 0;
}

size_t DeviceStore::bytes() const {
  const std::lock_guard lock(mutex_);
  return bytes_;
}

}  // namespace lanewise::exec
