#pragma once

#include <map>
#include <optional>
#include <span>
#include <vector>

#include "gpu/graph.h"
#include "gpu/modules/module.h"

namespace lanewise::pram {

/// Work of a stream that is deferred until its results are needed; work that repeats is
/// launched as one graph. Kernels must exist until forget().
class Replay {
 public:
  explicit Replay(gpu::Stream& stream) : stream_(stream) {}

  bool is_on() const { return on_; }
  /// Starts; or ends, and drops the deferred work and all recordings.
  void turn(bool on);

  void launch(const gpu::Kernel& kernel, uint64_t blocks, unsigned threads,
              std::span<const uint64_t> arguments);
  void fill(uint64_t address, unsigned char byte, size_t bytes);
  /// Launches the deferred work on the stream.
  void flush();

 private:
  struct Work {
    const gpu::Kernel* kernel;  // null: a fill with these bytes
    uint64_t blocks;
    unsigned threads;
    std::vector<uint64_t> arguments;
  };
  void ask();

  gpu::Stream& stream_;
  bool on_ = false;
  std::vector<Work> waits_;
  std::vector<uint64_t> key_;  // identifies the deferred work
  /// By key: work that occurred once, and its graph if it occurred again.
  std::map<std::vector<uint64_t>, std::optional<gpu::Graph>> asked_;
};

}  // namespace lanewise::pram
