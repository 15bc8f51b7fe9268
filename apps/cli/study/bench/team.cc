#include "study/bench/team.h"

#include <pthread.h>
#include <sched.h>

#include <barrier>
#include <chrono>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace lanewise::cli::bench {

namespace {

using Clock = std::chrono::steady_clock;

/// The cores that this process may run on.
std::vector<int> allowed_cores() {
  cpu_set_t set;
  CPU_ZERO(&set);
  std::vector<int> cores;
  if (::sched_getaffinity(0, sizeof set, &set) != 0) return cores;
  for (int core = 0; core < CPU_SETSIZE; ++core) {
    if (CPU_ISSET(core, &set)) cores.push_back(core);
  }
  return cores;
}

void pin_to(int core) {
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(core, &set);
  ::pthread_setaffinity_np(::pthread_self(), sizeof set, &set);
}

}  // namespace

double run_team(int threads, bool pinned, const std::function<void(int)>& work) {
  if (threads == 1 && !pinned) {
    const auto start = Clock::now();
    work(0);
    return std::chrono::duration<double>(Clock::now() - start).count();
  }
  const std::vector<int> cores = allowed_cores();
  Clock::time_point start, end;
  std::barrier all_here(threads, [&]() noexcept { start = Clock::now(); });
  std::mutex mutex;
  std::exception_ptr error;
  const auto run = [&](int number) {
    if (pinned && !cores.empty()) pin_to(cores[static_cast<size_t>(number) % cores.size()]);
    all_here.arrive_and_wait();
    std::exception_ptr thrown;
    try {
      work(number);
    } catch (...) {
      thrown = std::current_exception();
    }
    const std::lock_guard lock(mutex);
    end = std::max(end, Clock::now());
    if (thrown != nullptr) error = thrown;
  };
  std::vector<std::jthread> team;
  for (int number = 0; number < threads; ++number) team.emplace_back(run, number);
  team.clear();
  if (error != nullptr) std::rethrow_exception(error);
  return std::chrono::duration<double>(end - start).count();
}

}  // namespace lanewise::cli::bench
