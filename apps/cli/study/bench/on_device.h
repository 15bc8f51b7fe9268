#pragma once

#include <functional>
#include <string>
#include <vector>

#include "gpu/memory.h"
#include "gpu/modules/kernels.h"
#include "gpu/staging.h"
#include "study/bench/bench.h"

namespace lanewise::cli::bench {

/// A GPU on which a benchmark launches kernels of its own, and times them by events.
class OnDevice {
 public:
  /// Compiles `text`, which may include the engine's headers for kernels. Throws DeviceError, InternalError.
  OnDevice(gpu::Device& device, std::string text);

  gpu::DeviceBuffer room(size_t bytes);
  gpu::DeviceBuffer upload(const void* from, size_t bytes);
  template <class T>
  gpu::DeviceBuffer upload(const std::vector<T>& values) {
    return upload(values.data(), values.size() * sizeof(T));
  }
  template <class T>
  std::vector<T> fetch(const gpu::DeviceBuffer& from, size_t count) {
    std::vector<T> values(count);
    staging.download(values.data(), from.address(), count * sizeof(T), stream);
    return values;
  }
  /// The time between two points in the stream, around what `work` puts there.
  double seconds(const std::function<void()>& work);
  gpu::Kernel kernel(const std::string& name) const { return module_.module.kernel(name); }
  /// As many blocks of this kernel as run at once.
  gpu::Shape full_shape(const gpu::Kernel& kernel, unsigned threads, size_t shared = 0) const;
  /// The launch, its resident warps as a share of the card's, and what a thread takes.
  nlohmann::ordered_json facts(const gpu::Kernel& kernel, const gpu::Shape& shape) const;

  gpu::Device& device;
  gpu::Stream stream;
  gpu::DevicePool pool;
  gpu::Staging staging;

 private:
  gpu::BuiltModule module_;
};

/// The text of each file's kernels.
std::string card_kernels();
std::string scan_kernels();
std::string text_kernels();
std::string pair_kernels();

/// What a figure's limit needs of the card: bytes per second by its data sheet and as read by a kernel, and
/// integer operations per second as a kernel without memory accesses reaches them. `tiny`: with little work,
/// for tests, so that the numbers mean nothing.
nlohmann::ordered_json measure_card(gpu::Device& device, bool tiny);

/// Calls `add`; if the device fails, adds `levels` as not offered, for that reason.
void offer(std::vector<Contender>& contenders, const std::vector<std::string>& levels,
           const std::function<void()>& add);

}  // namespace lanewise::cli::bench
