#include "ops/gpu/device/accelerator.h"

#include <algorithm>

#include "base/machine.h"
#include "codegen/kernel_text.h"
#include "data/arrow/arrow_device_column.h"
#include "gpu/modules/compiler.h"

namespace lanewise::ops {

namespace {

/// Whether there are threads for the compiler in addition to those of a query.
bool can_compile_beside(const Accelerator::Options& options) { return options.threads >= 4; }

/// What a process compiles first takes 50 to 200 ms more: that begins while the GPU is opened.
std::future<void> warm_up_compiler(const Accelerator::Options& options) {
  gpu::Driver::system();  // says now that there is none
  if (!can_compile_beside(options)) return {};
  return std::async(std::launch::async, [] {
    gpu::Compiler::system().compile(codegen::kernel_source("extern \"C\" __global__ void nothing() {}\n"),
                                    "sm_90");
  });
}

constexpr int kBlocksPerMultiprocessor = 8;

}  // namespace

std::string list_kernels() { return "#include \"ops/join/gpu/pairs-inl.h\"\n"; }

uint64_t most_blocks(const Accelerator& gpu) {
  return static_cast<uint64_t>(gpu.multiprocessors()) * kBlocksPerMultiprocessor;
}

Accelerator::Accelerator(const Options& options)
    : warming_(warm_up_compiler(options)),
      device(gpu::Driver::system().device(options.ordinal)),
      sectors_(device),
      stream(device),
      copies(device),
      memory(std::make_shared<gpu::DevicePool>(device, options.memory_limit)),
      pool(*memory),
      staging(device, {.budget = options.budget}),
      store(pool.budget()),
      batch_rows(options.batch_rows),
      strategy(options.strategy),
      compiles_beside(can_compile_beside(options)),
      modules(device),
      budget_(options.budget) {
  gpu::Compiler::system();  // says now that there is none
  modules.begin(list_kernels());
}

gpu::Staging& Accelerator::feeding() {
  // Chunks of columns lie all over the host's memory: nearly all cores are needed to read them as fast as
  // they are moved, where 8 reach that from one piece.
  const int threads = std::clamp(machine_cores() - 2, 1, 16);
  if (!feeding_) feeding_.emplace(device, gpu::Staging::Options{.threads = threads, .budget = budget_});
  return *feeding_;
}

gpu::Kernel Accelerator::list_kernel(const std::string& name) {
  return modules.get(list_kernels())->module.kernel(name);
}

const gpu::Module& Accelerator::border_kernels() {
  if (!border_) border_ = modules.get(std::string(arrow::border_kernels()));
  return border_->module;
}

}  // namespace lanewise::ops
