#include "index/testing/device_places.h"

#include "gpu/error.h"
#include "gpu/testing/fake_driver.h"
#include "gpu/testing/nvrtc.h"

namespace lanewise::on_devices {

gpu::Device* Emulated::find_device() {
  static gpu::Driver& driver = *new gpu::Driver(gpu::fake_library("fake"));
  return &driver.device(0);
}

gpu::Device* Gpu::find_device() {
  try {
    gpu::Device& device = gpu::Driver::system().device(0);
    return gpu::find_nvrtc(LANEWISE_SOURCE_DIR) ? &device : nullptr;
  } catch (const gpu::DeviceError&) {
    return nullptr;
  }
}

}  // namespace lanewise::on_devices
