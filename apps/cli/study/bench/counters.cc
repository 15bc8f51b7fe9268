#include "study/bench/counters.h"

#include <linux/perf_event.h>
#include <sys/ioctl.h>
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
    event.disabled = i == 0;
    event.exclude_kernel = 1;
    event.exclude_hv = 1;
    event.read_format = PERF_FORMAT_GROUP | PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
    files_[i] = static_cast<int>(::syscall(SYS_perf_event_open, &event, 0, -1, files_[0], 0));
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

void Counters::start() {
  if (!available()) return;
  ::ioctl(files_[0], PERF_EVENT_IOC_RESET, PERF_IOC_FLAG_GROUP);
  ::ioctl(files_[0], PERF_EVENT_IOC_ENABLE, PERF_IOC_FLAG_GROUP);
}

std::optional<Events> Counters::stop() {
  if (!available()) return std::nullopt;
  ::ioctl(files_[0], PERF_EVENT_IOC_DISABLE, PERF_IOC_FLAG_GROUP);
  struct {
    uint64_t count, enabled, running;
    uint64_t values[kEvents];
  } read{};
  const bool complete = ::read(files_[0], &read, sizeof read) == sizeof read && read.running == read.enabled;
  if (!complete || read.running == 0) return std::nullopt;
  return Events{static_cast<double>(read.values[0]), static_cast<double>(read.values[1]),
                static_cast<double>(read.values[2])};
}

}  // namespace lanewise::cli::bench
