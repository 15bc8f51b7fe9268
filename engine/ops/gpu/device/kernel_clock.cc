#include "ops/gpu/device/kernel_clock.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/size.h"

namespace lanewise::ops {

double KernelClock::settle(std::vector<KernelTime>& times) {
  double seconds = 0;
  if (!spans_.empty()) spans_.back().end.synchronize();  // they are of one stream
  for (Span& span : spans_) {
    const double took = span.end.seconds_since(span.begin);
    auto found = std::find_if(times.begin(), times.end(),
                              [&](const KernelTime& time) { return time.name == span.name; });
    if (found == times.end()) found = times.insert(times.end(), {span.name});
    ++found->launches;
    found->seconds += took;
    found->bytes += span.bytes;
    seconds += took;
  }
  forget();
  return seconds;
}

void KernelClock::forget() {
  for (Span& span : spans_) {
    spare_.push_back(std::move(span.begin));
    spare_.push_back(std::move(span.end));
  }
  spans_.clear();
}

gpu::Event KernelClock::event() {
  if (spare_.empty()) return gpu::Event(stream_.device(), true);
  gpu::Event event = std::move(spare_.back());
  spare_.pop_back();
  return event;
}

std::string describe(const KernelTime& kernel, double bandwidth) {
  std::string text = fmt::format("{} {:.3f} ms", kernel.name, kernel.seconds * 1e3);
  if (kernel.launches > 1) text += fmt::format(" in {} launches", kernel.launches);
  if (kernel.bytes != 0 && kernel.seconds > 0) {
    const double rate = static_cast<double>(kernel.bytes) / kernel.seconds;
    text += fmt::format(", {} at {:.0f} GB/s", format_size(kernel.bytes), rate * 1e-9);
    if (bandwidth > 0) text += fmt::format(", {:.0f} %", rate / bandwidth * 100);
  }
  if (kernel.lanes.lane_steps != 0)
    text += fmt::format(", occupancy {:.1f} %", 100 * kernel.lanes.occupancy());
  return text;
}

}  // namespace lanewise::ops
