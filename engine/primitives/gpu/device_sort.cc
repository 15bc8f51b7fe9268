#include "primitives/gpu/device_sort.h"

#include <bit>

#include "primitives/gpu/merge_sort-inl.h"

namespace lanewise {

gpu::KernelSource DeviceMergeSort::source(Order order, Element element) {
  static constexpr std::string_view kTypes[] = {"int", "long long", "double"};
  std::string text =
      "#include \"primitives/gpu/merge_sort-inl.h\"\nusing namespace lanewise::primitives;\nusing T = ";
  text += kTypes[static_cast<size_t>(element)];
  text += ";\nusing Before = ";
  text += order == Order::kAscending ? "Ascending<T>;\n" : "Descending<T>;\n";
  text += R"(
extern "C" __global__ void __launch_bounds__(kSortThreads) sort_all(const T* from, u64 count, T* to) {
  sort_tiles<T, Before>(from, count, to);
}
extern "C" __global__ void __launch_bounds__(kSortThreads) split_all(const T* from, u64 count, u64 run, u64* splits) {
  split_runs<T, Before>(from, count, run, splits);
}
extern "C" __global__ void __launch_bounds__(kSortThreads) merge_all(const T* from, u64 count, u64 run,
                                                                     const u64* splits, T* to) {
  merge_runs<T, Before>(from, count, run, splits, to);
}
extern "C" __global__ void __launch_bounds__(kSortThreads) split_both(const T* a, u64 of_a, const T* b, u64 of_b,
                                                                      u64* splits) {
  split_two<T, Before>(a, of_a, b, of_b, splits);
}
extern "C" __global__ void __launch_bounds__(kSortThreads) merge_both(const T* a, u64 of_a, const T* b, u64 of_b,
                                                                      const u64* splits, T* to) {
  merge_two<T, Before>(a, of_a, b, of_b, splits, to);
}
)";
  return {.name = "merge_sort", .text = std::move(text)};
}

const gpu::Module& DeviceMergeSort::module(Order order, Element element) {
  const std::pair key(order, element);
  auto found = modules_.find(key);
  if (found == modules_.end()) {
    found = modules_.emplace(key, gpu::build(pool_.device(), source(order, element)).module).first;
  }
  return found->second;
}

namespace {

uint64_t tile_of(Element element) {
  return size_of(element) == 4 ? primitives::kSortTile<4> : primitives::kSortTile<8>;
}

}  // namespace

void DeviceMergeSort::sort(Order order, Element element, gpu::cuda::Address from, uint64_t count,
                           gpu::cuda::Address to, gpu::Stream& stream) {
  if (count == 0) return;
  constexpr unsigned kThreads = primitives::kSortThreads;
  const uint64_t of_tile = tile_of(element);
  const uint64_t tiles = (count + of_tile - 1) / of_tile;
  const int passes = std::bit_width(tiles - 1);
  const gpu::Module& kernels = module(order, element);
  if (passes == 0) {
    kernels.kernel("sort_all").launch(stream, {.blocks = tiles, .threads = kThreads}, from, count, to);
    return;
  }
  const gpu::DeviceBuffer other = pool_.allocate(count * size_of(element), stream, "a sort");
  const gpu::DeviceBuffer splits = pool_.allocate(tiles * sizeof(uint64_t), stream, "a sort");
  // The last pass must end in `to`.
  gpu::cuda::Address here = passes % 2 == 0 ? to : other.address();
  gpu::cuda::Address there = passes % 2 == 0 ? other.address() : to;
  kernels.kernel("sort_all").launch(stream, {.blocks = tiles, .threads = kThreads}, from, count, here);
  for (uint64_t run = of_tile; run < count; run *= 2) {
    kernels.kernel("split_all")
        .launch(stream, {.blocks = (tiles + kThreads - 1) / kThreads, .threads = kThreads}, here, count, run,
                splits.address());
    kernels.kernel("merge_all")
        .launch(stream, {.blocks = tiles, .threads = kThreads}, here, count, run, splits.address(), there);
    std::swap(here, there);
  }
}

void DeviceMergeSort::merge(Order order, Element element, gpu::cuda::Address a, uint64_t of_a,
                            gpu::cuda::Address b, uint64_t of_b, gpu::cuda::Address to, gpu::Stream& stream) {
  constexpr unsigned kThreads = primitives::kSortThreads;
  const uint64_t tiles = (of_a + of_b + tile_of(element) - 1) / tile_of(element);
  const gpu::Module& kernels = module(order, element);
  const gpu::DeviceBuffer splits = pool_.allocate(tiles * sizeof(uint64_t), stream, "a merge");
  kernels.kernel("split_both")
      .launch(stream, {.blocks = (tiles + kThreads - 1) / kThreads, .threads = kThreads}, a, of_a, b, of_b,
              splits.address());
  kernels.kernel("merge_both")
      .launch(stream, {.blocks = tiles, .threads = kThreads}, a, of_a, b, of_b, splits.address(), to);
}

}  // namespace lanewise
