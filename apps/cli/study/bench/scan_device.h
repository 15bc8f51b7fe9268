#pragma once

#include <memory>
#include <string>
#include <vector>

#include "gpu/device.h"
#include "study/bench/bench.h"

namespace lanewise::cli::bench {

/// The study's filter and aggregates of an int32 column on a GPU: the kernel alone, and with copies of the
/// column and of the result.
class ScanOnDevice {
 public:
  /// Throws DeviceError, InternalError.
  explicit ScanOnDevice(gpu::Device& device);
  ~ScanOnDevice();
  ScanOnDevice(const ScanOnDevice&) = delete;
  ScanOnDevice& operator=(const ScanOnDevice&) = delete;

  /// The column and its bitmap, which outlive the next call. Throws MemoryError.
  void load(const std::vector<int32_t>& values, const std::vector<uint64_t>& bitmap);
  /// Adds the levels of `work` (ScanOptions::work). They use this object.
  void add(std::vector<Contender>& contenders, const std::string& work);
  /// Blocks of these many threads, as many as run at once and fewer: levels "64 threads, 264 blocks".
  void add_shapes(std::vector<Contender>& contenders, const std::string& work);

  static std::vector<std::string> level_names();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace lanewise::cli::bench
