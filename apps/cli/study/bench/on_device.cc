#include "study/bench/on_device.h"

#include <algorithm>

#include "base/error.h"
#include "codegen/kernel_text.h"

namespace lanewise::cli::bench {

namespace {

constexpr const char* kPeaks = R"(
using u32 = unsigned;
using u64 = unsigned long long;

/// Eight chains of a multiplication and an addition, which do not wait for each other.
extern "C" __global__ void operations(u32 rounds, u32* out) {
  u32 a[8];
  for (u32 k = 0; k < 8; k++) a[k] = threadIdx.x + k;
  for (u32 i = 0; i < rounds; i++) {
#pragma unroll
    for (u32 k = 0; k < 8; k++) a[k] = a[k] * 1664525u + i;
  }
  u32 sum = 0;
  for (u32 k = 0; k < 8; k++) sum += a[k];
  if (sum == 1) out[0] = sum;
}

extern "C" __global__ void read_column(const uint4* from, u64 count, u32* out) {
  u32 sum = 0;
  const u64 stride = u64(gridDim.x) * blockDim.x;
#pragma unroll 4
  for (u64 i = blockIdx.x * u64(blockDim.x) + threadIdx.x; i < count; i += stride) {
    const uint4 four = from[i];
    sum += four.x ^ four.y ^ four.z ^ four.w;
  }
  if (sum == 1) out[0] = sum;
}
)";

constexpr int kPeakRuns = 5;

}  // namespace

std::string card_kernels() { return kPeaks; }

OnDevice::OnDevice(gpu::Device& given, std::string text)
    : device(given),
      stream(given),
      pool(given),
      staging(given),
      module_(gpu::build(given, codegen::kernel_source(std::move(text)))) {}

gpu::DeviceBuffer OnDevice::room(size_t bytes) {
  return pool.allocate(std::max<size_t>(bytes, 64), stream, "the study");
}

gpu::DeviceBuffer OnDevice::upload(const void* from, size_t bytes) {
  gpu::DeviceBuffer buffer = room(bytes);
  staging.upload(buffer.address(), from, bytes, stream);
  return buffer;
}

double OnDevice::seconds(const std::function<void()>& work) {
  gpu::Event start(device, true), end(device, true);
  start.record(stream);
  work();
  end.record(stream);
  end.synchronize();
  return end.seconds_since(start);
}

gpu::Shape OnDevice::full_shape(const gpu::Kernel& kernel, unsigned threads, size_t shared) const {
  const int each = std::max(kernel.blocks_per_multiprocessor(threads, shared), 1);
  return {.blocks = static_cast<uint64_t>(device.properties().multiprocessors) * static_cast<uint64_t>(each),
          .threads = threads,
          .shared = shared};
}

nlohmann::ordered_json OnDevice::facts(const gpu::Kernel& kernel, const gpu::Shape& shape) const {
  const gpu::Properties& card = device.properties();
  const auto most = static_cast<uint64_t>(kernel.blocks_per_multiprocessor(shape.threads, shape.shared));
  const auto processors = static_cast<uint64_t>(card.multiprocessors);
  const uint64_t blocks = std::min(most, (shape.blocks + processors - 1) / processors);
  return {{"threads", shape.threads},
          {"blocks", shape.blocks},
          {"blocks_per_multiprocessor", blocks},
          {"multiprocessors", card.multiprocessors},
          {"warps_per_multiprocessor", blocks * shape.threads / 32},
          {"most_warps", card.threads_per_multiprocessor / 32},
          {"resident",
           static_cast<double>(blocks * shape.threads) / std::max(card.threads_per_multiprocessor, 1)},
          {"registers", kernel.registers()},
          {"local_bytes", kernel.local_bytes()},
          {"shared_bytes", shape.shared}};
}

nlohmann::ordered_json measure_card(gpu::Device& device, bool tiny) {
  OnDevice on(device, kPeaks);
  const gpu::DeviceBuffer out = on.room(64);
  const auto fastest = [&](const std::function<void()>& work) {
    double least = on.seconds(work);  // the first one warms up
    for (int run = 0; run < kPeakRuns; ++run) least = std::min(least, on.seconds(work));
    return least;
  };
  const gpu::Kernel operations = on.kernel("operations"), read = on.kernel("read_column");
  const gpu::Shape full = on.full_shape(operations, 256);
  const uint32_t rounds = tiny ? 1 << 6 : 1 << 14;
  const double busy = fastest([&] { operations.launch(on.stream, full, rounds, out.address()); });
  const size_t bytes = tiny ? size_t{1} << 20 : std::min(size_t{1} << 30, device.free_memory() / 4 / 16 * 16);
  const gpu::DeviceBuffer column = on.room(bytes);
  on.stream.fill(column.address(), 0, bytes);
  const double reading = fastest([&] {
    read.launch(on.stream, on.full_shape(read, 256), column.address(), uint64_t{bytes / 16}, out.address());
  });
  const gpu::Properties& card = device.properties();
  constexpr double kOperations = 8 * 2;  // of a round
  return {{"name", card.name},
          {"architecture", card.architecture()},
          {"memory", card.memory},
          {"multiprocessors", card.multiprocessors},
          {"threads_per_multiprocessor", card.threads_per_multiprocessor},
          {"shared_per_multiprocessor", card.shared_per_multiprocessor},
          {"l2", card.l2},
          {"bandwidth", card.bandwidth},
          {"read_rate", static_cast<double>(bytes) / reading},
          {"operations", static_cast<double>(full.blocks * full.threads) * rounds * kOperations / busy}};
}

void offer(std::vector<Contender>& contenders, const std::vector<std::string>& levels,
           const std::function<void()>& add) {
  const size_t before = contenders.size();
  try {
    add();
  } catch (const CancelledError&) {
    throw;
  } catch (const std::exception& error) {
    contenders.resize(before);
    for (const std::string& level : levels) {
      contenders.push_back({.level = level, .not_offered = error.what()});
    }
  }
}

}  // namespace lanewise::cli::bench
