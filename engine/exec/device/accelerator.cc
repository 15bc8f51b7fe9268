#include "exec/device/accelerator.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/machine.h"
#include "device/compiler.h"
#include "exec/device/kernel_writer.h"

namespace lanewise::exec {

Accelerator::Accelerator(const Options& options)
    : device(device::Driver::system().device(options.ordinal)),
      stream(device),
      copies(device),
      pool(device, options.memory_limit),
      staging(device, {.budget = options.budget}),
      store(pool.budget()),
      batch_rows(options.batch_rows),
      strategy(options.strategy),
      budget_(options.budget) {
  device::Compiler::system();  // says now that there is none
  device.fetch_sectors();
  build_lists();
}

void Accelerator::build_lists() {
  building_ =
      std::async(std::launch::async, [this] { return device::build(device, kernel_source(list_kernels())); });
}

device::Staging& Accelerator::feeding() {
  // Chunks of columns lie all over the host's memory: nearly all cores are needed to read them as fast as
  // they are moved, where 8 reach that from one piece.
  const int threads = std::clamp(machine_cores() - 2, 1, 16);
  if (!feeding_) feeding_.emplace(device, device::Staging::Options{.threads = threads, .budget = budget_});
  return *feeding_;
}

const device::Module& Accelerator::lists() {
  if (!lists_ && !building_.valid()) build_lists();  // that a query before failed to get, for want of memory
  if (!lists_) lists_.emplace(building_.get().module);
  return *lists_;
}

std::unordered_map<std::string, device::Module>& Accelerator::modules() {
  constexpr size_t kMost = 256;  // of some 100 KB each
  if (modules_.size() > kMost) modules_.clear();
  return modules_;
}

std::string Accelerator::name() const { return fmt::format("cuda:{}", device.ordinal()); }

}  // namespace lanewise::exec
