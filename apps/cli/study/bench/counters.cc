#include "study/bench/counters.h"

#include <linux/perf_event.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace lanewise::cli::bench {

Counters::Counters() {
  constexpr uint64_t kKinds[kEvents] = {PERF_COUNT_HW_BRANCH_INSTRUCTIONS, PERF_COUNT_HW_BRANCH_MISSES,
                                        PERF_COUNT_HW_CACHE_MISSES};
  files_.fill(-1);
  for (size_t i = 0; i < kEvents; ++i) {
    perf_event_attr event{};
    event.type = PERF_TYPE_HARDWARE;
    event.size = sizeof event;
    event.config = kKinds[i];
    event.inherit = 1;  // by the threads that a level starts; that excludes a group of events
    event.exclude_kernel = 1;
    event.exclude_hv = 1;
    event.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
    files_[i] = static_cast<int>(::syscall(SYS_perf_event_open, &event, 0, -1, -1, 0));
    if (files_[i] < 0) {
      why_not_ = std::strerror(errno);
      return;
    }
  }
}

Counters::~Counters() {
  for (const int file : files_) {
    if (file >= 0) ::close(file);
  }
}

std::array<Counters::Count, Counters::kEvents> Counters::read() const {
  std::array<Count, kEvents> counts{};
  for (size_t i = 0; i < kEvents; ++i) {
    if (::read(files_[i], &counts[i], sizeof counts[i]) != sizeof counts[i]) counts[i] = {};
  }
  return counts;
}

void Counters::start() {
  if (available()) before_ = read();
}

std::optional<Events> Counters::stop() {
  if (!available()) return std::nullopt;
  const std::array<Count, kEvents> now = read();
  std::array<double, kEvents> events{};
  for (size_t i = 0; i < kEvents; ++i) {
    const uint64_t enabled = now[i].enabled - before_[i].enabled,
                   running = now[i].running - before_[i].running;
    if (running == 0 || running != enabled) return std::nullopt;
    events[i] = static_cast<double>(now[i].value - before_[i].value);
  }
  return Events{events[0], events[1], events[2]};
}

}  // namespace lanewise::cli::bench
