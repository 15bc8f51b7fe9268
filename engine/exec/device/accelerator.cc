#include "exec/device/accelerator.h"

#include <fmt/format.h>

#include "device/compiler.h"
#include "exec/device/kernel_writer.h"

namespace lanewise::exec {

Accelerator::Accelerator(const Options& options)
    : device(device::Driver::system().device(options.ordinal)),
      stream(device),
      pool(device, options.memory_limit),
      staging(device, {.budget = options.budget}),
      store(pool.budget()),
      batch_rows(options.batch_rows),
      strategy(options.strategy) {
  device::Compiler::system();  // says now that there is none
  device.fetch_sectors();
  building_ =
      std::async(std::launch::async, [this] { return device::build(device, kernel_source(list_kernels())); });
}

const device::Module& Accelerator::lists() {
  if (!lists_) lists_.emplace(building_.get().module);
  return *lists_;
}

std::string Accelerator::name() const { return fmt::format("cuda:{}", device.ordinal()); }

}  // namespace lanewise::exec
