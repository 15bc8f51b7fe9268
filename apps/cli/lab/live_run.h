#pragma once

#include <atomic>
#include <chrono>
#include <future>
#include <string>

#include "lab/run.h"
#include "lab/slots.h"

namespace httplib {
class DataSink;
}

namespace lanewise::cli::lab {

/// A job in its own thread, and the client that waits for it. The job ends when the client leaves.
class LiveRun {
 public:
  LiveRun(Job job, const Limits& limits, Slots& slots, Slots& devices);
  LiveRun(const LiveRun&) = delete;
  LiveRun& operator=(const LiveRun&) = delete;
  ~LiveRun();

  /// Writes lines until the result is ready; false if the client is gone.
  bool write(httplib::DataSink& sink);

 private:
  std::string last_line();

  const std::chrono::steady_clock::time_point end_;
  const Limits limits_;
  Cancellation cancellation_;
  std::atomic<uint64_t> steps_ = 0;
  std::future<std::string> result_;  // last, since its thread uses the other members
};

}  // namespace lanewise::cli::lab
