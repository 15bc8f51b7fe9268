#pragma once

#include <condition_variable>
#include <deque>
#include <future>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "gpu/modules/kernels.h"

namespace lanewise::exec {

/// The modules of a session's queries by their sources: each is built once and kept. Several are built at
/// once, by a few threads, and without a wait. Thread-safe.
class ModuleStore {
 public:
  /// Holds `most` modules, or as many as are still to come; without those that were not used for longest.
  explicit ModuleStore(gpu::Device& device, size_t most = 256) : device_(device), most_(most) {}
  /// Waits for all that was begun: the next process finds it in the cache.
  ~ModuleStore();

  /// Begins to build it, unless that was done before and did not fail. Whether it is still to come.
  bool begin(const std::string& source);
  /// Waits for it; of those that no thread has begun it comes first. Throws as gpu::build(); the next request
  /// builds it again.
  std::shared_ptr<const gpu::BuiltModule> get(const std::string& source);
  /// What needs no compiler, or what that is done with; null: it is not there, or what built it found no
  /// memory. Else throws as get().
  std::shared_ptr<const gpu::BuiltModule> find(const std::string& source);

 private:
  using Built = std::shared_ptr<const gpu::BuiltModule>;
  using Future = std::shared_future<Built>;
  struct Entry {
    Future future;
    uint64_t used = 0;  // by the order of requests
  };
  std::pair<Future, bool> begun(const std::string& source);
  Future add(const std::string& source, Future future);
  void put_first(const std::string& source);
  void start_thread();
  void work();

  gpu::Device& device_;
  const size_t most_;
  std::mutex mutex_;
  std::map<std::string, Entry> modules_;
  uint64_t requests_ = 0;
  struct Waiting {
    std::string source;
    std::packaged_task<Built()> task;
  };
  std::deque<Waiting> waiting_;
  std::condition_variable wake_;
  bool ends_ = false;
  size_t idle_ = 0;
  std::vector<std::thread> threads_;
};

}  // namespace lanewise::exec
