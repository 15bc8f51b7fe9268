#include "primitives/gpu/device_arrays.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "base/error.h"
#include "primitives/gpu/arrays-inl.h"

namespace lanewise {

namespace {

unsigned threads_of(ArrayCut cut) { return cut.threads != 0 ? cut.threads : primitives::kArrayThreads; }
unsigned bytes_of(ArrayCut cut, Element element, unsigned usual) {
  return cut.items != 0 ? cut.items * static_cast<unsigned>(size_of(element)) : usual;
}

}  // namespace

Operator::Operator(Combine combine) {
  static constexpr std::string_view kNames[] = {"Sum", "Product", "Least", "Greatest", "Xor"};
  text_ = fmt::format("using Op = {}<T>;\n", kNames[static_cast<size_t>(combine)]);
}

Operator::Operator(std::string_view combined, std::string_view none, bool commutative)
    : text_(fmt::format("struct Op {{\n"
                        "  static LANES_FN T none() {{ return {}; }}\n"
                        "  LANES_FN T operator()(T a, T b) const {{ return {}; }}\n"
                        "}};\n",
                        none, combined)),
      commutative_(commutative) {}

DeviceArrays::DeviceArrays(gpu::DevicePool& pool, ArrayCut cut) : pool_(pool), cut_(cut) {
  const auto refuse = [&](const char* what) {
    throw UserError(fmt::format("{} threads of {} values each: {}", cut.threads, cut.items, what));
  };
  if (cut.threads % 32 != 0 || cut.threads > 1'024) refuse("threads are a multiple of 32 up to 1,024");
  if (cut.items != 0 && (!std::has_single_bit(cut.items) || cut.items < 4 || cut.items > 16)) {
    refuse("values are 4, 8 or 16");
  }
  if (threads_of(cut) * bytes_of(cut, Element::kInt64, primitives::kScanBytes) > 32 * 1'024) {
    refuse("a block takes at most 32 KiB");
  }
}

gpu::KernelSource DeviceArrays::source(const Operator& combine, Element element, bool segments,
                                       ArrayCut cut) {
  static constexpr std::string_view kTypes[] = {"int", "long long", "double"};
  std::string text = fmt::format(
      "#include \"primitives/gpu/arrays-inl.h\"\n"
      "using namespace lanewise::primitives;\n"
      "using T = {};\n"
      "{}"
      "constexpr bool kSegments = {};\n"
      "constexpr u32 kThreads = {}, kReduceAtOnce = {}, kScanAtOnce = {};\n",
      kTypes[static_cast<size_t>(element)], combine.text(), segments, threads_of(cut),
      bytes_of(cut, element, primitives::kReduceBytes), bytes_of(cut, element, primitives::kScanBytes));
  text += R"(
#define SCAN(name, wanted)                                                                                  \
  extern "C" __global__ void __launch_bounds__(kThreads)                                                    \
      name(const T* from, const u8* begins, u64 count, T* to, u64* words, u64 tiles) {                      \
    scan<T, Op, Wanted::wanted, kSegments, kThreads, kScanAtOnce>(from, begins, count, to, words, tiles);   \
  }
SCAN(scan_inclusive, kInclusive)
SCAN(scan_exclusive, kExclusive)
)";
  text += segments ? R"(
extern "C" __global__ void __launch_bounds__(kArrayThreads) begin_segments(const u64* offsets, u64 rows, u64 count,
                                                                           u8* begins) {
  begin_rows(offsets, rows, count, begins);
}
)"
                   : R"(
SCAN(reduce_in_order, kLast)
extern "C" __global__ void __launch_bounds__(kThreads) reduce_all(const T* from, u64 count, T* parts, u32* ended,
                                                                  T* to) {
  reduce<T, Op, kThreads, kReduceAtOnce>(from, count, parts, ended, to);
}
)";
  return {.name = "arrays", .text = std::move(text)};
}

gpu::Kernel DeviceArrays::kernel(const Operator& combine, Element element, bool segments, const char* name) {
  std::string key =
      combine.text() + static_cast<char>('0' + 2 * static_cast<int>(element) + (segments ? 1 : 0));
  auto found = modules_.find(key);
  if (found == modules_.end()) {
    try {
      gpu::Module built = gpu::build(pool_.device(), source(combine, element, segments, cut_)).module;
      found = modules_.emplace(std::move(key), std::move(built)).first;
    } catch (const InternalError& error) {  // predefined operators always compile
      throw UserError(fmt::format("operator does not compile: {}{}", combine.text(), error.what()));
    }
  }
  return found->second.kernel(name);
}

void DeviceArrays::reduce(const Operator& combine, Element element, gpu::cuda::Address from, uint64_t count,
                          gpu::cuda::Address to, gpu::Stream& stream) {
  if (!combine.commutative()) {
    launch_scan(kernel(combine, element, false, "reduce_in_order"), element, from, 0, count, to, stream);
    return;
  }
  constexpr uint64_t kThreadsEach = 1'024;  // per multiprocessor, measured (docs/notes/performance-pram.md)
  const unsigned threads = threads_of(cut_);
  const uint64_t at_once = uint64_t{threads} * bytes_of(cut_, element, primitives::kReduceBytes);
  const auto processors = static_cast<uint64_t>(pool_.device().properties().multiprocessors);
  const uint64_t blocks = std::clamp<uint64_t>(count * size_of(element) / std::min<uint64_t>(at_once, 4'096),
                                               1, std::max(kThreadsEach / threads, uint64_t{1}) * processors);
  const gpu::DeviceBuffer parts = pool_.allocate(blocks * sizeof(uint64_t), stream, "a reduction");
  const gpu::DeviceBuffer ended = pool_.allocate(sizeof(uint32_t), stream, "a reduction");
  stream.fill(ended.address(), 0, sizeof(uint32_t));
  kernel(combine, element, false, "reduce_all")
      .launch(stream, {.blocks = blocks, .threads = threads}, from, count, parts.address(), ended.address(),
              to);
}

void DeviceArrays::launch_scan(const gpu::Kernel& kernel, Element element, gpu::cuda::Address from,
                               gpu::cuda::Address begins, uint64_t count, gpu::cuda::Address to,
                               gpu::Stream& stream) {
  const unsigned threads = threads_of(cut_);
  const uint64_t of_tile =
      uint64_t{threads} * bytes_of(cut_, element, primitives::kScanBytes) / size_of(element);
  const uint64_t tiles = std::max<uint64_t>((count + of_tile - 1) / of_tile, 1);
  const size_t bytes = tiles * sizeof(uint64_t) * size_of(element) / 4 + sizeof(uint32_t);
  const gpu::DeviceBuffer words = pool_.allocate(bytes, stream, "a scan");
  stream.fill(words.address(), 0, bytes);
  kernel.launch(stream, {.blocks = tiles, .threads = threads}, from, begins, count, to, words.address(),
                tiles);
}

void DeviceArrays::scan(const Operator& combine, Element element, bool inclusive, gpu::cuda::Address from,
                        uint64_t count, gpu::cuda::Address to, gpu::Stream& stream) {
  launch_scan(kernel(combine, element, false, inclusive ? "scan_inclusive" : "scan_exclusive"), element, from,
              0, count, to, stream);
}

void DeviceArrays::segmented_scan(const Operator& combine, Element element, bool inclusive,
                                  gpu::cuda::Address from, gpu::cuda::Address begins, uint64_t count,
                                  gpu::cuda::Address to, gpu::Stream& stream) {
  launch_scan(kernel(combine, element, true, inclusive ? "scan_inclusive" : "scan_exclusive"), element, from,
              begins, count, to, stream);
}

void DeviceArrays::segmented_scan_rows(const Operator& combine, Element element, bool inclusive,
                                       gpu::cuda::Address from, gpu::cuda::Address offsets, uint64_t rows,
                                       uint64_t count, gpu::cuda::Address to, gpu::Stream& stream) {
  const gpu::DeviceBuffer begins = pool_.allocate(count, stream, "segments");
  stream.fill(begins.address(), 0, count);
  constexpr unsigned kThreads = primitives::kArrayThreads;
  kernel(combine, element, true, "begin_segments")
      .launch(stream, {.blocks = (rows + kThreads - 1) / kThreads, .threads = kThreads}, offsets, rows, count,
              begins.address());
  segmented_scan(combine, element, inclusive, from, begins.address(), count, to, stream);
}

}  // namespace lanewise
