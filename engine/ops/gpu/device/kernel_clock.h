#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "gpu/stream.h"
#include "lanes/automata/rows.h"
#include "ops/run/profile.h"

namespace lanewise::ops {

/// What the launches of a kernel came to.
struct KernelTime {
  std::string name;
  int launches = 0;
  double seconds = 0;
  uint64_t bytes = 0;       ///< that it read and wrote, where that is known before
  lanes::Stats lanes = {};  ///< what its lanes did, where that was counted
};

/// Times kernels by events before and after each. What the host does between them, and copies, do not count.
class KernelClock {
 public:
  /// `spare` holds timed events that are used again; it outlives the clock.
  KernelClock(gpu::Stream stream, std::vector<gpu::Event>& spare)
      : stream_(std::move(stream)), spare_(spare) {}

  /// Times what `launch` launches on the stream.
  template <class Launch>
  void time(const std::string& name, uint64_t bytes, Launch&& launch) {
    Span span{name, bytes, event(), event()};
    span.begin.record(stream_);
    launch();
    span.end.record(stream_);
    spans_.push_back(std::move(span));  // what fails has no end to wait for
  }
  /// Waits for all that was timed, adds it to `times` by names, and forgets it. Returns the seconds.
  double settle(std::vector<KernelTime>& times);
  /// Forgets what was timed, for work that is done again.
  void forget();

 private:
  struct Span {
    std::string name;
    uint64_t bytes;
    gpu::Event begin, end;
  };
  gpu::Event event();

  gpu::Stream stream_;
  std::vector<gpu::Event>& spare_;
  std::vector<Span> spans_;
};

/// What running kernels came to, for the profile.
struct DeviceTimes {
  int batches = 0;                       ///< of rows
  int64_t skipped = 0;                   ///< rows that were not loaded, by their bounds
  int modules = 0;                       ///< sources that were needed
  int compiled = 0;                      ///< of these, how many the cache did not have
  double module_seconds = 0;             ///< until they were loaded
  std::vector<KernelTime> kernels = {};  ///< in the order of their first launch
  double kernel_seconds = 0;             ///< of all of them
  KeyNotes keys = {};                    ///< of joins whose lookups were filled
  uint64_t uploaded = 0;                 ///< bytes
  double upload_seconds = 0;             ///< reading the columns' source included
};

/// A line about the kernel: "match_0 0.231 ms, 1.07 GB at 4640 GB/s, 96 %, occupancy 97.4 %"; `bandwidth`
/// (bytes a second, 0: not known) is the device's.
std::string describe(const KernelTime& kernel, double bandwidth);

}  // namespace lanewise::ops
