#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <exception>
#include <mutex>
#include <optional>
#include <utility>

#if defined(__SANITIZE_THREAD__)
#include <thread>
#include <vector>
#else
#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/info.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/parallel_sort.h>
#include <oneapi/tbb/task_arena.h>
#include <oneapi/tbb/task_group.h>
#endif

/// Parallel loops: the only file that calls oneTBB. The thread sanitizer cannot see into oneTBB,
/// which is not built for it, so under it the same functions use plain threads: everything above them is
/// checked, without suppressions.
namespace lanewise {

#if defined(__SANITIZE_THREAD__)

namespace detail {
inline thread_local int arena_threads = 1;

template <class Body>
void on_threads(size_t threads, Body body) {
  std::mutex mutex;
  std::exception_ptr error;
  auto guarded = [&](size_t i) {
    try {
      body(i);
    } catch (...) {
      std::lock_guard lock(mutex);
      if (error == nullptr) error = std::current_exception();
    }
  };
  std::vector<std::thread> others;
  for (size_t i = 1; i < threads; ++i) others.emplace_back([&guarded, i] { guarded(i); });
  guarded(0);
  for (std::thread& other : others) other.join();
  if (error != nullptr) std::rethrow_exception(error);
}
}  // namespace detail

template <class F>
auto with_threads(int threads, F f) {
  detail::arena_threads = std::max(threads, 1);
  return f();
}

inline size_t parallelism() { return static_cast<size_t>(detail::arena_threads); }

template <class Body>
void run_workers(size_t count, Body body) {
  detail::on_threads(count, body);
}

template <class Body>
void parallel_for(size_t count, Body body) {
  std::atomic<size_t> next{0};
  detail::on_threads(std::min(count, static_cast<size_t>(detail::arena_threads)), [&](size_t) {
    for (size_t i = next++; i < count; i = next++) body(i);
  });
}

template <class Iterator, class Less>
void parallel_sort(Iterator begin, Iterator end, Less less) {
  std::sort(begin, end, less);
}

#else

namespace detail {
/// oneTBB's threads for one with_threads(). They start with the first parallel work: starting
/// oneTBB takes 2 ms, longer than a short query.
class Arena {
 public:
  explicit Arena(int threads) : threads_(std::max(threads, 1)) {}

  size_t threads() const { return static_cast<size_t>(threads_); }

  template <class F>
  void execute(F f) {
    if (!arena_) start();
    arena_->execute(f);
  }

 private:
  void start() {
    // oneTBB warns about more threads than cores, unless it is configured.
    if (threads_ > tbb::info::default_concurrency())
      more_.emplace(tbb::global_control::max_allowed_parallelism, static_cast<size_t>(threads_));
    arena_.emplace(threads_);
  }

  int threads_;
  std::optional<tbb::global_control> more_;
  std::optional<tbb::task_arena> arena_;
};

inline thread_local Arena* arena = nullptr;  // entered by the next parallel work of this thread

/// Sets `arena` for its lifetime.
class ArenaScope {
 public:
  explicit ArenaScope(Arena* now) : before_(std::exchange(arena, now)) {}
  ~ArenaScope() { arena = before_; }
  ArenaScope(const ArenaScope&) = delete;
  ArenaScope& operator=(const ArenaScope&) = delete;

 private:
  Arena* before_;
};

template <class F>
void share(F f) {
  Arena* const entered = arena;
  if (entered == nullptr) return f();
  const ArenaScope inside(nullptr);
  entered->execute(f);
}
}  // namespace detail

/// Calls f() so that the functions below use up to `threads` threads, including the caller's. Returns what f
/// returns.
template <class F>
auto with_threads(int threads, F f) {
  detail::Arena arena(threads);
  const detail::ArenaScope scope(&arena);
  return f();
}

/// How many threads the functions below use.
inline size_t parallelism() {
  if (detail::arena != nullptr) return detail::arena->threads();
  return static_cast<size_t>(tbb::this_task_arena::max_concurrency());
}

/// Calls body(0) ... body(count - 1) concurrently, as far as there are threads. Throws the first
/// exception of a body, after all have ended.
template <class Body>
void run_workers(size_t count, Body body) {
  if (count <= 1) return body(size_t{0});
  std::mutex mutex;
  std::exception_ptr error;
  auto guarded = [&](size_t i) {
    try {
      body(i);
    } catch (...) {
      std::lock_guard lock(mutex);
      if (error == nullptr) error = std::current_exception();
    }
  };
  detail::share([&] {
    tbb::task_group group;
    for (size_t i = 1; i < count; ++i) group.run([&guarded, i] { guarded(i); });
    guarded(0);
    group.wait();
  });
  if (error != nullptr) std::rethrow_exception(error);
}

/// Calls body(i) for each i below `count`, in any order. If one throws, the exception propagates and others
/// may not be called.
template <class Body>
void parallel_for(size_t count, Body body) {
  if (count == 1) return body(size_t{0});
  if (count > 1) detail::share([&] { tbb::parallel_for(size_t{0}, count, body); });
}

/// Sorts [begin, end); not stable.
template <class Iterator, class Less>
void parallel_sort(Iterator begin, Iterator end, Less less) {
  constexpr auto kFew = 500;  // below it oneTBB uses one thread
  if (end - begin < kFew) return std::sort(begin, end, less);
  detail::share([&] { tbb::parallel_sort(begin, end, less); });
}

#endif

}  // namespace lanewise
