#include "primitives/device/device_arrays.h"

#include <algorithm>
#include <utility>

#include "primitives/device/arrays-inl.h"

namespace lanewise {

device::KernelSource DeviceArrays::source(Combine combine, Element element) {
  static constexpr std::string_view kOperators[] = {"Sum", "Product", "Least", "Greatest", "Xor"};
  static constexpr std::string_view kTypes[] = {"int", "long long", "double"};
  std::string text =
      "#include \"primitives/device/arrays-inl.h\"\nusing namespace lanewise::primitives;\nusing T = ";
  text += kTypes[static_cast<size_t>(element)];
  text += ";\nusing Op = ";
  text += kOperators[static_cast<size_t>(combine)];
  text += "<T>;\n";
  text += R"(
extern "C" __global__ void __launch_bounds__(kArrayThreads) reduce_all(const T* from, u64 count, T* parts, u32* ended,
                                                                       T* to) {
  reduce<T, Op>(from, count, parts, ended, to);
}
extern "C" __global__ void __launch_bounds__(kArrayThreads) scan_inclusive(const T* from, u64 count, T* to, u64* words,
                                                                           u64 tiles) {
  scan<T, Op, true>(from, count, to, words, tiles);
}
extern "C" __global__ void __launch_bounds__(kArrayThreads) scan_exclusive(const T* from, u64 count, T* to, u64* words,
                                                                           u64 tiles) {
  scan<T, Op, false>(from, count, to, words, tiles);
}
)";
  return {.name = "arrays", .text = std::move(text)};
}

device::Kernel DeviceArrays::kernel(Combine combine, Element element, const char* name) {
  const std::pair key(combine, element);
  auto found = modules_.find(key);
  if (found == modules_.end()) {
    found = modules_.emplace(key, device::build(pool_.device(), source(combine, element)).module).first;
  }
  return found->second.kernel(name);
}

void DeviceArrays::reduce(Combine combine, Element element, device::cuda::Address from, uint64_t count,
                          device::cuda::Address to, device::Stream& stream) {
  constexpr uint64_t kBlocksEach = 4;  // of a multiprocessor, as measured (docs/performance-pram.md)
  const uint64_t vectors = count * size_of(element) / 16;
  const auto processors = static_cast<uint64_t>(pool_.device().properties().multiprocessors);
  const uint64_t blocks =
      std::clamp<uint64_t>(vectors / primitives::kArrayThreads, 1, kBlocksEach * processors);
  const device::DeviceBuffer parts = pool_.allocate(blocks * sizeof(uint64_t), stream, "a reduction");
  const device::DeviceBuffer ended = pool_.allocate(sizeof(uint32_t), stream, "a reduction");
  stream.fill(ended.address(), 0, sizeof(uint32_t));
  kernel(combine, element, "reduce_all")
      .launch(stream, {.blocks = blocks, .threads = primitives::kArrayThreads}, from, count, parts.address(),
              ended.address(), to);
}

void DeviceArrays::scan(Combine combine, Element element, bool inclusive, device::cuda::Address from,
                        uint64_t count, device::cuda::Address to, device::Stream& stream) {
  const uint64_t of_tile = primitives::kArrayThreads * primitives::kArrayItemBytes / size_of(element);
  const uint64_t tiles = (count + of_tile - 1) / of_tile;
  const size_t bytes = tiles * sizeof(uint64_t) * size_of(element) / 4 + sizeof(uint32_t);
  const device::DeviceBuffer words = pool_.allocate(bytes, stream, "a scan");
  stream.fill(words.address(), 0, bytes);
  kernel(combine, element, inclusive ? "scan_inclusive" : "scan_exclusive")
      .launch(stream, {.blocks = tiles, .threads = primitives::kArrayThreads}, from, count, to,
              words.address(), tiles);
}

}  // namespace lanewise
