#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace lanewise::pram {

/// Maximum number of processors evaluated together.
inline constexpr uint32_t kLanes = 1024;

/// Columns of kLanes values, reused. For one thread.
template <class T>
struct Pool {
  std::vector<std::unique_ptr<T[]>> columns;
  size_t used = 0;
};

/// A column that is in use until the destructor returns it.
template <class T>
class Scratch {
 public:
  explicit Scratch(Pool<T>& pool) : pool_(pool) {
    if (pool.used == pool.columns.size()) pool.columns.push_back(std::make_unique<T[]>(kLanes));
    data = pool.columns[pool.used++].get();
  }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  ~Scratch() { --pool_.used; }
  T* data;

 private:
  Pool<T>& pool_;
};

}  // namespace lanewise::pram
