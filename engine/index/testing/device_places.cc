#include "index/testing/device_places.h"

#include "device/error.h"
#include "device/testing/fake_driver.h"
#include "device/testing/nvrtc.h"

namespace lanewise::on_devices {

device::Device* Emulated::find_device() {
  static device::Driver& driver = *new device::Driver(device::fake_library("fake"));
  return &driver.device(0);
}

device::Device* Gpu::find_device() {
  try {
    device::Device& device = device::Driver::system().device(0);
    return device::find_nvrtc(LANEWISE_SOURCE_DIR) ? &device : nullptr;
  } catch (const device::DeviceError&) {
    return nullptr;
  }
}

}  // namespace lanewise::on_devices
