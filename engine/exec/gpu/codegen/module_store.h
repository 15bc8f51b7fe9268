#pragma once

#include <future>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

#include "gpu/modules/kernels.h"

namespace lanewise::exec {

/// The modules of a session's queries by their sources: each is built once and kept. Several are built at
/// once, each by a thread, and without a wait. Thread-safe.
class ModuleStore {
 public:
  /// Holds `most` modules or a few more.
  explicit ModuleStore(gpu::Device& device, size_t most = 256) : device_(device), most_(most) {}

  /// Begins to build it, unless that was done before and did not fail. Whether it is still to come.
  bool begin(const std::string& source);
  /// Waits for it. Throws as gpu::build(); the next request builds it again.
  std::shared_ptr<const gpu::BuiltModule> get(const std::string& source);
  /// What needs no compiler, or what that is done with; null: it is not there, or what built it found no
  /// memory. Else throws as get().
  std::shared_ptr<const gpu::BuiltModule> find(const std::string& source);

 private:
  using Future = std::shared_future<std::shared_ptr<const gpu::BuiltModule>>;
  std::pair<Future, bool> begun(const std::string& source);

  gpu::Device& device_;
  const size_t most_;
  std::mutex mutex_;
  std::map<std::string, Future> modules_;
};

}  // namespace lanewise::exec
