#pragma once

#include "gpu/stream.h"

namespace lanewise::gpu {

/// Work recorded once and launched many times as one unit: for loops of kernels that are shorter than their
/// launch. Move-only.
class Graph {
 public:
  /// Records what `work` launches on `stream` without running it. `work` may launch kernels, copy on the
  /// device, fill, and make other streams wait for this one and join it again; it must not wait or allocate.
  template <class Work>
  Graph(Stream& stream, Work&& work) : device_(&stream.device()) {
    begin(stream);
    try {
      work();
    } catch (...) {
      abandon(stream);
      throw;
    }
    end(stream);
  }
  ~Graph();
  Graph(Graph&& other) noexcept;
  Graph(const Graph&) = delete;
  Graph& operator=(const Graph&) = delete;

  void launch(Stream& stream);

 private:
  void begin(Stream& stream);
  void end(Stream& stream);
  void abandon(Stream& stream) noexcept;

  Device* device_;
  cuda::GraphExec graph_ = nullptr;
};

}  // namespace lanewise::gpu
