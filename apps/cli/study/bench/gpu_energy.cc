#include "study/bench/gpu_energy.h"

#include <fmt/format.h>

#include <memory>

#include "gpu/error.h"
#include "gpu/library.h"

namespace lanewise::cli::bench {

namespace {

using gpu::DeviceError;
using gpu::Library;

/// As in nvml.h.
using NvmlResult = int;
using NvmlDevice = void*;

class Counter {
 public:
  Counter() {
    try {
      library_ = std::make_unique<Library>(std::vector<std::string>{"libnvidia-ml.so.1"}, "NVML");
      check(library_->find<NvmlResult()>("nvmlInit_v2")(), "nvmlInit_v2");
      check(library_->find<NvmlResult(unsigned, NvmlDevice*)>("nvmlDeviceGetHandleByIndex_v2")(0, &device_),
            "nvmlDeviceGetHandleByIndex_v2");
      read_ = library_->find<NvmlResult(NvmlDevice, unsigned long long*)>(kRead);
      unsigned long long now = 0;
      check(read_(device_, &now), kRead);
    } catch (const DeviceError& error) {
      read_ = nullptr;
      why_not_ = error.what();
    }
  }

  std::optional<double> joules() const {
    unsigned long long thousandths = 0;
    if (read_ == nullptr || read_(device_, &thousandths) != 0) return {};
    return static_cast<double>(thousandths) / 1e3;
  }
  const std::string& why_not() const { return why_not_; }

  static const Counter& system() {
    static const Counter* const kCounter = new Counter;  // NVML stays open
    return *kCounter;
  }

 private:
  static constexpr const char* kRead = "nvmlDeviceGetTotalEnergyConsumption";

  static void check(NvmlResult result, const char* call) {
    if (result != 0) throw DeviceError(fmt::format("{} of NVML failed with error {}", call, result));
  }

  std::unique_ptr<Library> library_;
  NvmlDevice device_ = nullptr;
  NvmlResult (*read_)(NvmlDevice, unsigned long long*) = nullptr;
  std::string why_not_;
};

}  // namespace

std::optional<double> used_joules() { return Counter::system().joules(); }
std::string why_no_joules() { return Counter::system().why_not(); }

}  // namespace lanewise::cli::bench
