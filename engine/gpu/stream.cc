#include "gpu/stream.h"

#include <chrono>
#include <thread>
#include <utility>

namespace lanewise::gpu {

struct Stream::State {
  explicit State(Device& of) : device(of) {
    device.run(&cuda::Calls::stream_create, &stream, cuda::kNonBlockingStream);
  }
  ~State() { device.release(&cuda::Calls::stream_destroy, stream); }

  Device& device;
  cuda::Stream stream = nullptr;
};

Stream::Stream(Device& device) : state_(std::make_shared<State>(device)) {}

Device& Stream::device() const { return state_->device; }

cuda::Stream Stream::handle() const { return state_->stream; }

void Stream::synchronize() { device().run(&cuda::Calls::stream_synchronize, handle()); }

void Stream::synchronize(const Cancellation& cancellation) {
  using std::chrono::steady_clock;
  // Most queries are done by then; a sleep ends up to 0.3 ms after them.
  const auto patience = steady_clock::now() + std::chrono::milliseconds(10);
  while (!done()) {
    cancellation.check();
    if (steady_clock::now() > patience) std::this_thread::sleep_for(std::chrono::microseconds(200));
  }
}

bool Stream::done() { return device().try_run(&cuda::Calls::stream_query, handle()) == cuda::kSuccess; }

void Stream::wait(const Event& event) {
  device().run(&cuda::Calls::stream_wait_event, handle(), event.handle(), 0u);
}

void Stream::copy_to_device(cuda::Address to, const void* from, size_t bytes) {
  if (bytes != 0) device().run(&cuda::Calls::copy_to_device, to, from, bytes, handle());
}

void Stream::copy_to_host(void* to, cuda::Address from, size_t bytes) {
  if (bytes != 0) device().run(&cuda::Calls::copy_to_host, to, from, bytes, handle());
}

void Stream::copy(cuda::Address to, cuda::Address from, size_t bytes) {
  if (bytes != 0) device().run(&cuda::Calls::copy_on_device, to, from, bytes, handle());
}

void Stream::fill(cuda::Address to, unsigned char byte, size_t bytes) {
  if (bytes != 0) device().run(&cuda::Calls::fill, to, byte, bytes, handle());
}

Event::Event(Device& device, bool timed) : device_(&device) {
  device.run(&cuda::Calls::event_create, &event_, timed ? 0u : cuda::kUntimedEvent);
}

Event::~Event() {
  if (event_ != nullptr) device_->release(&cuda::Calls::event_destroy, event_);
}

Event::Event(Event&& other) noexcept : device_(other.device_), event_(std::exchange(other.event_, nullptr)) {}

void Event::record(Stream& stream) { device_->run(&cuda::Calls::event_record, event_, stream.handle()); }

void Event::synchronize() { device_->run(&cuda::Calls::event_synchronize, event_); }

double Event::seconds_since(const Event& start) {
  float milliseconds = 0;
  device_->run(&cuda::Calls::event_elapsed_time, &milliseconds, start.event_, event_);
  return milliseconds / 1e3;
}

}  // namespace lanewise::gpu
