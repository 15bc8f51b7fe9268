#pragma once

#include <algorithm>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "gpu/memory.h"
#include "gpu/modules/kernels.h"
#include "gpu/staging.h"
#include "lanes/lane.h"
#include "primitives/parallel.h"

namespace lanewise::graph {

/// An array in device memory.
template <class T>
class DeviceArray {
 public:
  DeviceArray() = default;
  DeviceArray(gpu::DeviceBuffer buffer, size_t size) : buffer_(std::move(buffer)), size_(size) {}

  T* data() const { return reinterpret_cast<T*>(buffer_.address()); }
  uint64_t address() const { return buffer_.address(); }
  size_t size() const { return size_; }
  size_t bytes() const { return size_ * sizeof(T); }

 private:
  gpu::DeviceBuffer buffer_;
  size_t size_ = 0;
};

/// Runs steps (function objects called with an item's number) for many items in parallel, in the order
/// of the calls: on a GPU, or in tests on the host, whose memory then serves as device memory.
class Steps {
 public:
  enum class Where { kGpu, kHost };

  /// Kernels are compiled, or loaded from disk, on first use, which may throw DeviceError.
  Steps(gpu::Device& gpu, Where where);

  /// The sources: kernels of steps with a thread for each item, or with a block.
  static gpu::KernelSource threads();
  static gpu::KernelSource blocks();

  template <class Step>
  void run(const Step& step, size_t items) {
    constexpr unsigned kThreads = 256;
    if (where_ == Where::kHost) {
      on_host(step, items, 256);
    } else {
      kernel(threads_, Step::kName)
          .launch(stream_, {.blocks = (items + kThreads - 1) / kThreads, .threads = kThreads}, step,
                  lanes::u64{items});
    }
  }
  /// The same for steps that use a block of threads per item.
  template <class Step>
  void run_blocks(const Step& step, size_t items) {
    if (where_ == Where::kHost) {
      on_host(step, items, 1);
    } else {
      kernel(blocks_, Step::kName).launch(stream_, {.blocks = items, .threads = Step::kThreads}, step);
    }
  }

  template <class T>
  DeviceArray<T> allocate(size_t size) {
    return {pool_.allocate(size * sizeof(T), stream_, "a graph"), size};
  }
  template <class T>
  DeviceArray<T> upload(std::span<const T> from) {
    DeviceArray<T> array = allocate<T>(from.size());
    staging_.upload(array.address(), from.data(), array.bytes(), stream_);
    return array;
  }
  /// The first to.size() of `from`; waits for all steps.
  template <class T>
  void download(std::span<T> to, const DeviceArray<T>& from) {
    staging_.download(to.data(), from.address(), to.size_bytes(), stream_);
  }
  template <class T>
  void fill(const DeviceArray<T>& array, unsigned char byte) {
    stream_.fill(array.address(), byte, array.bytes());
  }
  /// A count written by steps; waits for all of them.
  uint32_t read(const DeviceArray<uint32_t>& count) { return read_all(count)[0]; }
  /// The same for several, at most kMostCounts.
  std::vector<uint32_t> read_all(const DeviceArray<uint32_t>& counts);
  static constexpr size_t kMostCounts = 8;

  /// Items that run concurrently.
  size_t at_once() const;

  /// Starts timing.
  void start_clock() { began_.record(stream_); }
  /// The device's time since start_clock().
  double seconds();

 private:
  template <class Step>
  void on_host(const Step& step, size_t items, size_t together) {
    parallel_for((items + together - 1) / together, [&](size_t part) {
      for (size_t i = part * together; i < std::min(items, (part + 1) * together); ++i) step(i);
    });
  }

  /// Kernels of one source, by name.
  struct Kernels {
    gpu::KernelSource source;
    std::optional<gpu::Module> module = std::nullopt;
    std::unordered_map<std::string, gpu::Kernel> by_name = {};
  };
  const gpu::Kernel& kernel(Kernels& kernels, const char* name);

  const Where where_;
  gpu::Stream stream_;
  gpu::DevicePool pool_;
  gpu::Staging& staging_;
  gpu::PinnedBuffer pinned_;
  gpu::Event began_, ended_;
  Kernels threads_{threads()}, blocks_{blocks()};
};

}  // namespace lanewise::graph
