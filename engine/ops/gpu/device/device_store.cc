#include "ops/gpu/device/device_store.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace lanewise::ops {

std::string DeviceStore::Key::part() const { return fmt::format("{} {} {}", column, first, rows); }

DeviceStore::DeviceStore(MemoryBudget& budget)
    : reclaimer_(budget.add_reclaimer([this](size_t wanted) { return evict(wanted); })) {}

DeviceStore::ColumnPtr DeviceStore::find(const Key& key) { return columns_.find(key.identity, key.part()); }

void DeviceStore::put(const Key& key, ColumnPtr column) {
  const size_t bytes = column->own_bytes();
  columns_.put(key.identity, key.part(), std::move(column), bytes);
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

void DeviceStore::forget(const std::string& identity) {
  columns_.forget(identity);
  const std::lock_guard lock(mutex_);
  rows_.erase(identity);
}

void DeviceStore::clear() {
  columns_.clear();
  const std::lock_guard lock(mutex_);
  rows_.clear();
}

}  // namespace lanewise::ops
