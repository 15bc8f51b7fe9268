#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <string>

#include "index/image/pool.h"
#include "index/image/storage.h"
#include "index/kernels/strategy.h"
#include "index/tree/tree.h"

namespace lanewise::index {

/// The state that an Index and its snapshots share.
struct State {
  MemoryBudget* budget = nullptr;
  std::unique_ptr<Storage> storage;  ///< null: in memory only
  std::unique_ptr<Pool> pool;
  std::unique_ptr<Tree> tree;
  std::mutex writing;  ///< held by each call that changes the index or takes a snapshot
  std::atomic<Strategy> strategy{fastest_strategy()};
  bool stuck = false;  ///< a commit failed; only reopening the file can continue
};

}  // namespace lanewise::index
