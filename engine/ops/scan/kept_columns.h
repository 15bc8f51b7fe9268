#pragma once

#include <cstddef>
#include <iterator>
#include <list>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include <utility>

namespace lanewise::ops {

/// Parts of columns of sources, kept between statements. Those that were not used for longest go first, and
/// never while a query reads them. Thread-safe.
template <class Part>
class KeptColumns {
 public:
  using PartPtr = std::shared_ptr<Part>;

  /// Null: it is not there.
  PartPtr find(const std::string& identity, const std::string& part) {
    const std::lock_guard lock(mutex_);
    const auto found = index_.find(key_of(identity, part));
    if (found == index_.end()) return nullptr;
    entries_.splice(entries_.begin(), entries_, found->second);
    return found->second->part;
  }

  /// Keeps what has so many bytes that evict() would release.
  void put(const std::string& identity, const std::string& part, PartPtr held, size_t bytes) {
    std::string key = key_of(identity, part);
    const std::lock_guard lock(mutex_);
    if (const auto found = index_.find(key); found != index_.end()) erase(found->second);
    entries_.push_front({key, std::move(held), bytes});
    index_[std::move(key)] = entries_.begin();
    bytes_ += bytes;
  }

  /// Releases about `bytes`; returns how many.
  size_t evict(size_t bytes) {
    const std::lock_guard lock(mutex_);
    size_t freed = 0;
    for (auto entry = entries_.end(); freed < bytes && entry != entries_.begin();) {
      --entry;
      if (entry->part.use_count() > 1 || entry->bytes == 0) continue;  // it would free nothing
      freed += entry->bytes;
      erase(entry++);
    }
    return freed;
  }

  /// Lets go of all columns of the source, once no query reads them.
  void forget(const std::string& identity) {
    const std::lock_guard lock(mutex_);
    const std::string begin = key_of(identity, "");
    for (auto entry = entries_.begin(); entry != entries_.end();) {
      const auto next = std::next(entry);
      if (entry->key.starts_with(begin)) erase(entry);
      entry = next;
    }
  }

  void clear() {
    const std::lock_guard lock(mutex_);
    index_.clear();
    entries_.clear();
    bytes_ = 0;
  }

  size_t bytes() const {
    const std::lock_guard lock(mutex_);
    return bytes_;
  }

 private:
  struct Entry {
    std::string key;
    PartPtr part;
    size_t bytes;
  };
  using Place = typename std::list<Entry>::iterator;

  static std::string key_of(const std::string& identity, const std::string& part) {
    return identity + '\0' + part;
  }

  void erase(Place entry) {
    bytes_ -= entry->bytes;
    index_.erase(entry->key);
    entries_.erase(entry);
  }

  mutable std::mutex mutex_;
  std::list<Entry> entries_;  // most recently used first
  std::unordered_map<std::string, Place> index_;
  size_t bytes_ = 0;
};

}  // namespace lanewise::ops
