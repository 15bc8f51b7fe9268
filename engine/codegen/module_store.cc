#include "codegen/module_store.h"

#include <algorithm>
#include <chrono>
#include <system_error>
#include <utility>

#include "base/error.h"
#include "base/machine.h"
#include "codegen/kernel_text.h"

namespace lanewise::codegen {

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

ModuleStore::~ModuleStore() {
  {
    const std::lock_guard lock(mutex_);
    ends_ = true;
  }
  wake_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

/// Its future, and whether it is still to come.
std::pair<ModuleStore::Future, bool> ModuleStore::begun(const std::string& source) {
  const std::lock_guard lock(mutex_);
  if (const auto found = modules_.find(source); found != modules_.end()) {
    const Future& future = found->second.future;
    const bool ready = is_ready(future);
    if (!ready || !has_failed(future)) {
      found->second.used = ++requests_;
      return {future, !ready};
    }
    modules_.erase(found);  // an earlier asker's error: there may be memory by now, say
  }
  std::packaged_task<Built()> task([this, source] {
    return std::make_shared<const gpu::BuiltModule>(gpu::build(device_, kernel_source(source)));
  });
  start_thread();  // first, as it may throw
  Future future = add(source, task.get_future());
  waiting_.push_back({source, std::move(task)});
  wake_.notify_one();
  return {future, true};
}

/// Makes room for one; what goes is in the cache on disk.
ModuleStore::Future ModuleStore::add(const std::string& source, Future future) {
  if (const auto found = modules_.find(source); found != modules_.end()) return found->second.future;
  while (modules_.size() >= most_) {
    auto oldest = modules_.end();
    for (auto entry = modules_.begin(); entry != modules_.end(); ++entry) {
      if (is_ready(entry->second.future) &&
          (oldest == modules_.end() || entry->second.used < oldest->second.used))
        oldest = entry;
    }
    if (oldest == modules_.end()) break;
    modules_.erase(oldest);
  }
  return modules_.try_emplace(source, Entry{std::move(future), ++requests_}).first->second.future;
}

/// One more, if all have something to do. A compiler needs a core for a tenth of a second or more: not more
/// of them than there are cores.
void ModuleStore::start_thread() {
  if (idle_ > waiting_.size() || threads_.size() >= static_cast<size_t>(machine_cores())) return;
  try {
    threads_.emplace_back([this] { work(); });
  } catch (const std::system_error&) {
    if (threads_.empty()) throw;
  }
}

void ModuleStore::work() {
  std::unique_lock lock(mutex_);
  for (;;) {
    ++idle_;
    wake_.wait(lock, [this] { return ends_ || !waiting_.empty(); });
    --idle_;
    if (waiting_.empty()) return;
    std::packaged_task<Built()> task = std::move(waiting_.front().task);
    waiting_.pop_front();
    lock.unlock();
    task();
    lock.lock();
  }
}

bool ModuleStore::begin(const std::string& source) { return begun(source).second; }

std::shared_ptr<const gpu::BuiltModule> ModuleStore::get(const std::string& source) {
  const auto [future, is_to_come] = begun(source);
  if (is_to_come) put_first(source);
  return future.get();
}

void ModuleStore::put_first(const std::string& source) {
  const std::lock_guard lock(mutex_);
  const auto found = std::ranges::find(waiting_, source, &Waiting::source);
  if (found == waiting_.end()) return;  // a thread builds it
  Waiting first = std::move(*found);
  waiting_.erase(found);
  waiting_.push_front(std::move(first));
}

std::shared_ptr<const gpu::BuiltModule> ModuleStore::find(const std::string& source) {
  Future future;
  {
    const std::lock_guard lock(mutex_);
    if (const auto found = modules_.find(source); found != modules_.end()) {
      if (!is_ready(found->second.future)) return nullptr;
      future = found->second.future;
      found->second.used = ++requests_;
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
  std::promise<Built> there;
  there.set_value(module);
  const std::lock_guard lock(mutex_);
  add(source, there.get_future());
  return module;
}

}  // namespace lanewise::codegen
