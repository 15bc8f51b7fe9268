#include "exec/device/accelerator.h"

#include <fmt/format.h>

#include "device/compiler.h"

namespace lanewise::exec {

Accelerator::Accelerator(const Options& options)
    : device(device::Driver::system().device(options.ordinal)),
      stream(device),
      pool(device, options.memory_limit),
      staging(device, {.budget = options.budget}),
      store(pool.budget()),
      batch_rows(options.batch_rows) {
  device::Compiler::system();  // says now that there is none
  device.fetch_sectors();
}

std::string Accelerator::name() const { return fmt::format("cuda:{}", device.ordinal()); }

}  // namespace lanewise::exec
