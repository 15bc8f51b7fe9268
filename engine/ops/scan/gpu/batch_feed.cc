#include "ops/scan/gpu/batch_feed.h"

#include <utility>

namespace lanewise::ops {

BatchFeed::BatchFeed(Load load, gpu::Stream copies, gpu::Stream kernels)
    : load_(std::move(load)),
      copies_(std::move(copies)),
      kernels_(std::move(kernels)),
      apart_(copies_.handle() != kernels_.handle()),
      event_(copies_.device()) {}

BatchFeed::~BatchFeed() {
  end();
  forget();
}

void BatchFeed::ask(int64_t first, int64_t rows) {
  forget();
  first_ = first;
  rows_ = rows;
  ahead_ = std::async(std::launch::async, load_, first, rows);
}

void BatchFeed::next(int64_t first, int64_t rows) {
  end();
  bool loaded = false;
  if (ahead_.valid() && first_ == first && rows_ == rows) {
    try {
      columns_ = ahead_.get();
      loaded = true;
    } catch (const MemoryError&) {  // the batch before is gone now
    }
  }
  forget();
  if (!loaded) columns_ = load_(first, rows);
  if (!apart_) return;
  event_.record(copies_);
  kernels_.wait(event_);
}

bool BatchFeed::forget() noexcept {
  if (!ahead_.valid()) return false;
  try {
    ahead_.get();
  } catch (...) {  // whatever it was, these rows are not needed
  }
  return true;
}

void BatchFeed::end() noexcept {
  if (apart_ && !columns_.empty()) {
    gpu::Device& device = copies_.device();
    device.release(&gpu::cuda::Calls::event_record, event_.handle(), kernels_.handle());
    device.release(&gpu::cuda::Calls::stream_wait_event, copies_.handle(), event_.handle(), 0u);
  }
  columns_.clear();
}

}  // namespace lanewise::ops
