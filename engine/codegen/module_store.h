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

namespace lanewise::codegen {

/// The modules of a session's queries, by source: each is built once and kept. A few threads build them in
/// the background. Thread-safe.
class ModuleStore {
 public:
  /// Keeps at most `most` modules, or more while they are being built; drops the least recently used ones.
  explicit ModuleStore(gpu::Device& device, size_t most = 256) : device_(device), most_(most) {}
  /// Waits for all builds that were begun: the next process finds them in the cache.
  ~ModuleStore();

  /// Begins to build the module, unless it is built or being built. Returns true if it is not ready yet.
  bool begin(const std::string& source);
  /// Waits for the module and moves it to the front of the queue. Throws as gpu::build(); the next request
  /// builds it again.
  std::shared_ptr<const gpu::BuiltModule> get(const std::string& source);
  /// Returns the module if it is ready or needs no compiler; null if it is not, or if its build ran out of
  /// memory. Throws other errors as get().
  std::shared_ptr<const gpu::BuiltModule> find(const std::string& source);

 private:
  using Built = std::shared_ptr<const gpu::BuiltModule>;
  using Future = std::shared_future<Built>;
  struct Entry {
    Future future;
    uint64_t used = 0;  // number of the last request
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

}  // namespace lanewise::codegen
