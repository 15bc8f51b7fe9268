#pragma once

#include <map>
#include <optional>
#include <span>
#include <vector>

#include "gpu/graph.h"
#include "gpu/modules/module.h"

namespace lanewise::pram {

/// Work of a stream that waits until its results are needed; the same work as once before is then
/// launched as one graph. Kernels must stay until forget().
class Replay {
 public:
  explicit Replay(gpu::Stream& stream) : stream_(stream) {}

  bool is_on() const { return on_; }
  /// Begins; or ends, and forgets what waits and what was requested.
  void turn(bool on);

  void launch(const gpu::Kernel& kernel, uint64_t blocks, unsigned threads,
              std::span<const uint64_t> arguments);
  void fill(uint64_t address, unsigned char byte, size_t bytes);
  /// Launches what waits on the stream.
  void flush();

 private:
  struct Work {
    const gpu::Kernel* kernel;  // null: a fill of these bytes
    uint64_t blocks;
    unsigned threads;
    std::vector<uint64_t> arguments;
  };
  void ask();

  gpu::Stream& stream_;
  bool on_ = false;
  std::vector<Work> waits_;
  std::vector<uint64_t> key_;  // what distinguishes the work that waits from other work
  /// By key: work that was requested once, and its graph if it was more often.
  std::map<std::vector<uint64_t>, std::optional<gpu::Graph>> asked_;
};

}  // namespace lanewise::pram
