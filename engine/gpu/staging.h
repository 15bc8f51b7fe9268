#pragma once

#include <array>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <span>
#include <thread>
#include <vector>

#include "gpu/memory.h"

namespace lanewise::gpu {

/// Bytes to be copied from a device.
struct Download {
  void* to;
  cuda::Address from;
  size_t bytes;
};

/// Copies between ordinary (pageable) host memory and a device near the speed of pinned memory: threads copy
/// chunks into and out of pinned buffers while the device transfers others. Thread-safe, one transfer at a
/// time; for both directions at once use two objects.
class Staging {
 public:
  struct Options {
    size_t chunk = size_t{4} << 20;  ///< bytes of a pinned buffer; each thread has two
    int threads = 0;                 ///< 0: one for each core, at most 8: a core copies about 9 GB/s
    MemoryBudget* budget = nullptr;  ///< of the host, for the pinned buffers
  };
  /// Pins up to 2 × threads × chunk bytes, as many as the largest transfer so far can use: that takes half a
  /// millisecond per MiB. Transfers throw MemoryError if there are none.
  Staging(Device& device, const Options& options);
  explicit Staging(Device& device) : Staging(device, Options()) {}
  /// Waits for running copies.
  ~Staging();

  /// Returns when `from` may be changed again. The copy starts after all previous work in `stream`,
  /// and later work in `stream` starts after the copy.
  void upload(cuda::Address to, const void* from, size_t bytes, Stream& stream);
  /// Writes bytes [at, at + bytes) of the data to be copied; `at` is a multiple of 4,096 if the chunk size
  /// is. Called by several threads.
  using Fill = std::function<void(uint8_t* to, size_t at, size_t bytes)>;
  /// The same for bytes made by `fill`.
  void upload(cuda::Address to, size_t bytes, const Fill& fill, Stream& stream);
  /// The copy starts after all previous work in `stream`; returns when `to` holds the bytes.
  void download(void* to, cuda::Address from, size_t bytes, Stream& stream) {
    download(std::array{Download{to, from, bytes}}, stream);
  }
  /// The same for several: the host waits once for all that are small together (256 KB).
  void download(std::span<const Download> all, Stream& stream);

 private:
  struct Slot {
    PinnedBuffer memory;
    Event moved;  // the device has finished with the memory
  };
  struct Worker {
    std::array<Slot, 2> slots;
  };
  /// The next free piece: its first byte, and its size; 0: none is left.
  struct Piece {
    size_t at, bytes;
  };
  using Next = std::function<Piece()>;

  /// The worker, whose memory is pinned now.
  Worker& pinned(size_t index);
  void download_few(std::span<const Download> few, Stream& stream);
  void download_much(const Download& much, Stream& stream);
  /// Calls `copy` in as many threads as `bytes` justify.
  void run(size_t bytes, const std::function<void(Worker&, const Next&)>& copy);
  /// The loop of worker thread `index`.
  void serve(const std::stop_token& stop, size_t index);

  Device& device_;
  const size_t chunk_;
  MemoryBudget* const budget_;
  Stream stream_;
  std::vector<Worker> workers_;
  std::mutex transfer_;  // allows one transfer at a time

  std::mutex mutex_;  // guards the members below
  std::condition_variable_any wake_, idle_;
  const std::function<void(Worker&)>* job_ = nullptr;
  uint64_t jobs_ = 0;  // so far
  size_t wanted_ = 0, running_ = 0;
  std::vector<std::jthread> threads_;  // last: they end before the members that they use
};

}  // namespace lanewise::gpu
