#include "study/bench/scan_device.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "base/bits.h"
#include "base/machine.h"
#include "study/bench/on_device.h"
#include "study/bench/scan_hash.h"
#include "study/data/numbers.h"

namespace lanewise::cli::bench {

namespace {

constexpr const char* kScanKernels = R"(
using u32 = unsigned;
using u64 = unsigned long long;
using i64 = long long;

constexpr u32 kSlice = 1 << 16;

/// A bit for each row. A warp takes 1,024 rows: 32 loads of 128 bytes, and one store.
extern "C" __global__ void __launch_bounds__(1024)
    filter_column(const int* __restrict__ values, u64 rows, int target, u32* out, u64 words) {
  const u32 lane = threadIdx.x & 31;
  const u64 warps = u64(gridDim.x) * blockDim.x / 32;
  for (u64 tile = (blockIdx.x * u64(blockDim.x) + threadIdx.x) / 32; tile * 32 < words; tile += warps) {
    const u64 first = tile * 1024 + lane;
    const bool whole = (tile + 1) * 1024 <= rows;
    u32 mine = 0;
    for (u32 k = 0; k < 32; k += 8) {
      int eight[8];
#pragma unroll
      for (u32 j = 0; j < 8; j++) {
        const u64 row = first + (k + j) * 32;
        eight[j] = whole || row < rows ? values[row] : target + 1;
      }
#pragma unroll
      for (u32 j = 0; j < 8; j++) {
        const u32 word = __ballot_sync(~0u, eight[j] == target);
        if (lane == k + j) mine = word;
      }
    }
    if (tile * 32 + lane < words) out[tile * 32 + lane] = mine;
  }
}

struct Sum {
  using Value = int;
  using Result = i64;
  static __device__ Result start() { return 0; }
  static __device__ void add(Result& to, int value) { to += value; }
  static __device__ void join(Result& to, Result other) { to += other; }
};
struct Bounds {
  using Value = int;
  using Result = i64;  // the greatest above 32 bits, the least below
  static __device__ Result pack(int least, int most) { return i64(u64(u32(most)) << 32 | u32(least)); }
  static __device__ Result start() { return pack(0x7fffffff, -0x7fffffff - 1); }
  static __device__ void join(Result& to, Result other) {
    const int least = int(u32(to)), most = int(to >> 32), l = int(u32(other)), m = int(other >> 32);
    to = pack(l < least ? l : least, m > most ? m : most);
  }
  static __device__ void add(Result& to, int value) { join(to, pack(value, value)); }
};
struct Count {
  using Value = u32;  // of the bitmap
  using Result = i64;
  static __device__ Result start() { return 0; }
  static __device__ void add(Result& to, u32 value) { to += __popc(value); }
  static __device__ void join(Result& to, Result other) { to += other; }
};

/// One result for each slice of the column. A block takes a slice.
template <class Fold>
__device__ void fold_slices(const typename Fold::Value* values, u64 count, u32 slice, i64* out) {
  using Value = typename Fold::Value;
  struct alignas(16) Four {
    Value v[4];
  };
  __shared__ i64 of_warps[32];
  for (u64 number = blockIdx.x; number * slice < count; number += gridDim.x) {
    const Value* const from = values + number * slice;
    const u32 here = count - number * slice < slice ? u32(count - number * slice) : slice;
    i64 result = Fold::start();
    const Four* const fours = reinterpret_cast<const Four*>(from);
#pragma unroll 8
    for (u32 i = threadIdx.x; i < here / 4; i += blockDim.x) {
      const Four four = fours[i];
      for (u32 k = 0; k < 4; k++) Fold::add(result, four.v[k]);
    }
    if (threadIdx.x < here % 4) Fold::add(result, from[here / 4 * 4 + threadIdx.x]);
    for (u32 distance = 16; distance; distance /= 2)
      Fold::join(result, __shfl_xor_sync(~0u, result, distance));
    if ((threadIdx.x & 31) == 0) of_warps[threadIdx.x / 32] = result;
    __syncthreads();
    if (threadIdx.x == 0) {
      for (u32 warp = 1; warp < blockDim.x / 32; warp++) Fold::join(result, of_warps[warp]);
      out[number] = result;
    }
    __syncthreads();
  }
}

extern "C" __global__ void __launch_bounds__(1024) sum_column(const int* values, u64 count, i64* out) {
  fold_slices<Sum>(values, count, kSlice, out);
}
extern "C" __global__ void __launch_bounds__(1024) bound_column(const int* values, u64 count, i64* out) {
  fold_slices<Bounds>(values, count, kSlice, out);
}
extern "C" __global__ void __launch_bounds__(1024) count_bitmap(const u32* words, u64 count, i64* out) {
  fold_slices<Count>(words, count, kSlice / 32, out);
}
)";

constexpr unsigned kScanThreads = 512;

enum class Copies { none, pinned, pageable, staged };
constexpr std::pair<const char*, Copies> kCopies[] = {{"gpu kernel", Copies::none},
                                                      {"gpu, pinned copies", Copies::pinned},
                                                      {"gpu, staged copies", Copies::staged},
                                                      {"gpu, pageable copies", Copies::pageable}};

/// Seconds of the steps of one run.
struct Steps {
  double in = 0, kernel = 0, out = 0;
};

}  // namespace

std::string scan_kernels() { return kScanKernels; }

struct ScanOnDevice::State {
  explicit State(gpu::Device& device) : on(device, kScanKernels) {}

  const char* kernel_name(const std::string& work) const {
    return work == "bitmap"  ? "filter_column"
           : work == "sum"   ? "sum_column"
           : work == "valid" ? "count_bitmap"
                             : "bound_column";
  }
  bool is_bitmap(const std::string& work) const { return work == "valid"; }
  size_t slices() const { return (values->size() + kScanSlice - 1) / kScanSlice; }
  const void* input(const std::string& work) const {
    return is_bitmap(work) ? static_cast<const void*>(bitmap->data()) : values->data();
  }
  size_t input_bytes(const std::string& work) const {
    return is_bitmap(work) ? bitmap->size() * sizeof(uint64_t) : values->size() * sizeof(int32_t);
  }
  size_t output_bytes(const std::string& work) const {
    return work == "bitmap" ? bitmap->size() * sizeof(uint64_t) : slices() * sizeof(int64_t);
  }
  const gpu::DeviceBuffer& there(const std::string& work) const {
    return is_bitmap(work) ? bitmap_there : values_there;
  }

  void launch(const std::string& work, const gpu::Shape& shape) {
    const gpu::Kernel kernel = on.kernel(kernel_name(work));
    const auto rows = static_cast<uint64_t>(values->size());
    if (work == "bitmap") {
      kernel.launch(on.stream, shape, there(work).address(), rows, int32_t{kTarget}, result.address(),
                    uint64_t{bitmap->size() * 2});
    } else {
      kernel.launch(on.stream, shape, there(work).address(),
                    is_bitmap(work) ? uint64_t{bitmap->size() * 2} : rows, result.address());
    }
  }

  gpu::Shape shape(const std::string& work) const {
    return on.full_shape(on.kernel(kernel_name(work)), kScanThreads);
  }

  /// Memory that the device reads and writes directly, for the larger of both directions.
  gpu::PinnedBuffer& pin(const std::string& work) {
    const size_t bytes = input_bytes(work) + output_bytes(work);
    if (pinned.size() < bytes) {
      if (bytes > machine_memory() / 4)
        throw MemoryError(fmt::format("{} bytes are too many to pin on this machine", bytes));
      pinned = {};
      pinned = gpu::PinnedBuffer(on.device, bytes, nullptr, "the study");
      pinned_work.clear();
    }
    if (pinned_work != work) std::memcpy(pinned.data(), input(work), input_bytes(work));
    pinned_work = work;
    return pinned;
  }

  /// One run with its copies; the result is then in `result`, and if it was copied in `answer`.
  Steps run(const std::string& work, Copies copies, const gpu::Shape& how) {
    Steps steps;
    if (copies == Copies::none) {
      steps.kernel = on.seconds([&] { launch(work, how); });
      return steps;
    }
    const size_t in = input_bytes(work), out = output_bytes(work);
    answer.resize(out);
    uint8_t* const fast = copies == Copies::pinned ? pin(work).data() : nullptr;
    steps.in = on.seconds([&] {
      if (copies == Copies::staged)
        on.staging.upload(there(work).address(), input(work), in, on.stream);
      else
        on.stream.copy_to_device(there(work).address(), fast ? fast : input(work), in);
    });
    steps.kernel = on.seconds([&] { launch(work, how); });
    steps.out = on.seconds([&] {
      if (copies == Copies::staged)
        on.staging.download(answer.data(), result.address(), out, on.stream);
      else
        on.stream.copy_to_host(fast ? fast + in : answer.data(), result.address(), out);
    });
    on.stream.synchronize();
    if (fast != nullptr) std::memcpy(answer.data(), fast + in, out);
    return steps;
  }

  uint64_t digest(const std::string& work, Copies copies, const gpu::Shape& how) {
    on.stream.fill(result.address(), 0xa5, output_bytes(work));  // of an earlier level
    run(work, copies, how);
    if (copies == Copies::none) {
      answer.resize(output_bytes(work));
      on.staging.download(answer.data(), result.address(), answer.size(), on.stream);
    }
    uint64_t digest = 0;
    std::vector<uint64_t> words(answer.size() / sizeof(uint64_t));
    std::memcpy(words.data(), answer.data(), answer.size());
    for (size_t slice = 0; slice < slices(); ++slice) {
      uint64_t hash = words[slice];
      if (work == "bitmap") {
        hash = 0;
        const size_t last = std::min(words.size(), (slice + 1) * (kScanSlice / 64));
        for (size_t i = slice * (kScanSlice / 64); i < last; ++i) hash = fold(hash, words[i]);
      } else if (work == "sum") {
        hash = hash_of_sum(static_cast<int64_t>(hash));
      } else if (work == "min_max") {
        hash = hash_of_bounds(static_cast<int32_t>(hash), static_cast<int32_t>(hash >> 32));
      }
      digest += fold(slice, hash);
    }
    return digest;
  }

  OnDevice on;
  const std::vector<int32_t>* values = nullptr;
  const std::vector<uint64_t>* bitmap = nullptr;
  gpu::DeviceBuffer values_there, bitmap_there, result;
  gpu::PinnedBuffer pinned;
  std::string pinned_work;  // whose input is in the pinned memory
  std::vector<uint8_t> answer;
};

ScanOnDevice::ScanOnDevice(gpu::Device& device) : state_(std::make_unique<State>(device)) {}
ScanOnDevice::~ScanOnDevice() = default;

std::vector<std::string> ScanOnDevice::level_names() {
  std::vector<std::string> names;
  for (const auto& [name, copies] : kCopies) names.emplace_back(name);
  return names;
}

void ScanOnDevice::load(const std::vector<int32_t>& values, const std::vector<uint64_t>& bitmap) {
  State& state = *state_;
  state.values = &values;
  state.bitmap = &bitmap;
  state.pinned_work.clear();
  const size_t bytes = values.size() * sizeof(int32_t), bits = bitmap.size() * sizeof(uint64_t);
  if (state.values_there.size() < bytes) {
    state.values_there = state.on.room(bytes);
    state.bitmap_there = state.on.room(bits);
    state.result = state.on.room(std::max(bits, state.slices() * sizeof(int64_t)));
  }
  state.on.staging.upload(state.values_there.address(), values.data(), bytes, state.on.stream);
  state.on.staging.upload(state.bitmap_there.address(), bitmap.data(), bits, state.on.stream);
}

void ScanOnDevice::add(std::vector<Contender>& contenders, const std::string& work) {
  for (const auto& [name, copies] : kCopies) {
    const auto last = std::make_shared<Steps>();
    State& state = *state_;
    contenders.push_back(
        {.level = name,
         .digest = [&state, work, copies] { return state.digest(work, copies, state.shape(work)); },
         .seconds =
             [&state, work, copies, last] {
               *last = state.run(work, copies, state.shape(work));
               return last->in + last->kernel + last->out;
             },
         .may_fail = true,
         .facts =
             [&state, work, last] {
               nlohmann::ordered_json facts = {
                   {"kernel", state.on.facts(state.on.kernel(state.kernel_name(work)), state.shape(work))}};
               facts["steps"] = {{"copy in", last->in}, {"kernel", last->kernel}, {"copy out", last->out}};
               facts["copied_in"] = state.input_bytes(work);
               facts["copied_out"] = state.output_bytes(work);
               return facts;
             }});
  }
}

void ScanOnDevice::add_shapes(std::vector<Contender>& contenders, const std::string& work) {
  State& state = *state_;
  const gpu::Kernel kernel = state.on.kernel(state.kernel_name(work));
  for (const unsigned threads : {32U, 64U, 128U, 256U, 512U, 1024U}) {
    const gpu::Shape full = state.on.full_shape(kernel, threads);
    for (const uint64_t part : {1, 4, 16}) {
      const gpu::Shape shape{.blocks = std::max<uint64_t>(full.blocks / part, 1), .threads = threads};
      contenders.push_back(
          {.level = fmt::format("{} threads, {} blocks", threads, shape.blocks),
           .digest = [&state, work, shape] { return state.digest(work, Copies::none, shape); },
           .seconds = [&state, work, shape] { return state.run(work, Copies::none, shape).kernel; },
           .may_fail = true,
           .facts = [&state, kernel, shape, part]() -> nlohmann::ordered_json {
             return {{"part", part}, {"kernel", state.on.facts(kernel, shape)}};
           }});
    }
  }
}

}  // namespace lanewise::cli::bench
