#pragma once

#include <memory>

#include "base/cancel.h"
#include "gpu/device.h"

namespace lanewise::gpu {

class Event;

/// Work for a device, done in order; different streams run independently.
/// Calls return at once; errors of the work appear in a later call, at the latest in synchronize(). A copy of
/// a Stream is the same stream.
class Stream {
 public:
  explicit Stream(Device& device);

  Device& device() const;
  cuda::Stream handle() const;

  /// Waits for all work of the stream.
  void synchronize();
  /// The same, but throws CancelledError soon after a cancellation. The work continues: device memory may be
  /// freed nevertheless, since that is in the stream's order, but host memory that a copy uses must stay
  /// until it is done.
  void synchronize(const Cancellation& cancellation);
  /// Whether all work is done.
  bool done();
  /// Later work in this stream starts after `event`.
  void wait(const Event& event);

  /// `from` stays until the copy is done. From pageable memory it is slow and may wait: see Staging.
  void copy_to_device(cuda::Address to, const void* from, size_t bytes);
  void copy_to_host(void* to, cuda::Address from, size_t bytes);
  void copy(cuda::Address to, cuda::Address from, size_t bytes);
  void fill(cuda::Address to, unsigned char byte, size_t bytes);

 private:
  struct State;
  std::shared_ptr<State> state_;
};

/// A point in a stream.
class Event {
 public:
  /// Untimed events are cheaper.
  explicit Event(Device& device, bool timed = false);
  ~Event();
  Event(Event&& other) noexcept;
  Event(const Event&) = delete;
  Event& operator=(const Event&) = delete;

  /// Marks the point after all previous work in `stream`.
  void record(Stream& stream);
  /// Waits for the point; returns at once if it was never recorded.
  void synchronize();
  /// The time between two timed events that have passed.
  double seconds_since(const Event& start);
  cuda::Event handle() const { return event_; }

 private:
  Device* device_;
  cuda::Event event_ = nullptr;
};

}  // namespace lanewise::gpu
