#include "exec/gpu/codegen/module_store.h"

#include <chrono>
#include <utility>

#include "base/error.h"
#include "exec/gpu/codegen/kernel_text.h"

namespace lanewise::exec {

namespace {

template <class Future>
bool is_ready(const Future& future) {
  return future.wait_for(std::chrono::seconds(0)) == std::future_status::ready;
}

/// Whether what is ready is an error.
template <class Future>
bool has_failed(const Future& future) {
  try {
    future.get();
    return false;
  } catch (...) {
    return true;
  }
}

}  // namespace

/// Its future, and whether it is still to come.
std::pair<ModuleStore::Future, bool> ModuleStore::begun(const std::string& source) {
  const std::lock_guard lock(mutex_);
  if (const auto found = modules_.find(source); found != modules_.end()) {
    const bool ready = is_ready(found->second);
    if (!ready || !has_failed(found->second)) return {found->second, !ready};
    modules_.erase(found);  // an earlier asker's error: there may be memory by now, say
  }
  if (modules_.size() >= most_) {  // what is forgotten is in the cache on disk
    std::erase_if(modules_, [](const auto& entry) { return is_ready(entry.second); });
  }
  const auto build = [this, source] {
    return std::make_shared<const gpu::BuiltModule>(gpu::build(device_, kernel_source(source)));
  };
  return {modules_.emplace(source, std::async(std::launch::async, build)).first->second, true};
}

bool ModuleStore::begin(const std::string& source) { return begun(source).second; }

std::shared_ptr<const gpu::BuiltModule> ModuleStore::get(const std::string& source) {
  return begun(source).first.get();
}

std::shared_ptr<const gpu::BuiltModule> ModuleStore::find(const std::string& source) {
  Future future;
  {
    const std::lock_guard lock(mutex_);
    if (const auto found = modules_.find(source); found != modules_.end()) {
      if (!is_ready(found->second)) return nullptr;
      future = found->second;
      if (has_failed(future)) modules_.erase(found);  // the next request builds it again
    }
  }
  try {
    if (future.valid()) return future.get();
  } catch (const MemoryError&) {  // the next request tries again
    return nullptr;
  }
  std::optional<gpu::BuiltModule> built = gpu::find_built(device_, kernel_source(source));
  if (!built) return nullptr;
  auto module = std::make_shared<const gpu::BuiltModule>(std::move(*built));
  std::promise<std::shared_ptr<const gpu::BuiltModule>> there;
  there.set_value(module);
  const std::lock_guard lock(mutex_);
  modules_.try_emplace(source, there.get_future());
  return module;
}

}  // namespace lanewise::exec
