#include "gpu/graph.h"

#include <utility>

namespace lanewise::gpu {

void Graph::begin(Stream& stream) {
  device_->run(&cuda::Calls::capture_begin, stream.handle(), cuda::kCaptureThisThread);
}

void Graph::abandon(Stream& stream) noexcept {
  cuda::Graph recorded = nullptr;
  device_->release(&cuda::Calls::capture_end, stream.handle(), &recorded);
  if (recorded != nullptr) device_->release(&cuda::Calls::graph_destroy, recorded);
}

void Graph::end(Stream& stream) {
  cuda::Graph recorded = nullptr;
  try {
    device_->run(&cuda::Calls::capture_end, stream.handle(), &recorded);
  } catch (...) {
    abandon(stream);  // a stream that still records would not free what it should
    throw;
  }
  try {
    device_->run(&cuda::Calls::graph_instantiate, &graph_, recorded, 0ull);
  } catch (...) {
    device_->release(&cuda::Calls::graph_destroy, recorded);
    throw;
  }
  device_->release(&cuda::Calls::graph_destroy, recorded);
}

Graph::~Graph() {
  if (graph_ != nullptr) device_->release(&cuda::Calls::graph_exec_destroy, graph_);
}

Graph::Graph(Graph&& other) noexcept : device_(other.device_), graph_(std::exchange(other.graph_, nullptr)) {}

void Graph::launch(Stream& stream) { device_->run(&cuda::Calls::graph_launch, graph_, stream.handle()); }

}  // namespace lanewise::gpu
