#include "study/bench/pram_grid.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <memory>

#include "base/error.h"
#include "base/machine.h"
#include "gpu/modules/kernels.h"
#include "gpu/opencl/opencl_device.h"
#include "gpu/staging.h"
#include "primitives/gpu/device_arrays.h"
#include "primitives/parallel.h"
#include "primitives/scan.h"
#include "study/bench/index_data.h"
#include "study/bench/pram_grid_kernels.h"
#include "study/data/random.h"

namespace lanewise::cli::bench {

namespace {

using Number = uint32_t;  // sums wrap
using Numbers = std::vector<Number>;

struct Grid {
  unsigned m, c;
  uint64_t group() const { return uint64_t{m} * c; }
  uint64_t groups(uint64_t n) const { return (n + group() - 1) / group(); }
};

double seconds_of(const std::function<void()>& run) {
  const auto start = std::chrono::steady_clock::now();
  run();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

uint64_t digest(const Numbers& answer) { return bench::digest_of(std::span<const Number>(answer)); }

/// One algorithm on one device.
class Way {
 public:
  virtual ~Way() = default;
  virtual void prepare() {}  ///< not timed
  virtual void run() = 0;    ///< timed
  virtual Numbers answer() = 0;
};

Contender level_of(const std::string& name, const std::shared_ptr<Way>& way) {
  return {.level = name,
          .digest =
              [=] {
                way->prepare();
                way->run();
                return digest(way->answer());
              },
          .seconds =
              [=] {
                way->prepare();
                return seconds_of([&] { way->run(); });
              },
          .may_fail = !name.starts_with("cores")};
}

// On cores: a group is part of a task.

/// Calls body(i) for each i < count, in tasks of about so many values.
void each(uint64_t count, uint64_t values, const auto& body) {
  const uint64_t chunk = std::max<uint64_t>((1 << 15) / values, 1);
  parallel_for((count + chunk - 1) / chunk, [&](size_t task) {
    const uint64_t last = std::min(count, (task + 1) * chunk);
    for (uint64_t i = task * chunk; i < last; ++i) body(i);
  });
}

void reduce_groups(std::span<const Number> from, Grid grid, Number* to) {
  each(grid.groups(from.size()), grid.group(), [=](uint64_t group) {
    Number sums[256];
    for (unsigned item = 0; item < grid.m; ++item) {
      const uint64_t first = std::min<uint64_t>((group * grid.m + item) * grid.c, from.size());
      const uint64_t last = std::min<uint64_t>(first + grid.c, from.size());
      Number sum = 0;
      for (uint64_t i = first; i < last; ++i) sum += from[i];
      sums[item] = sum;
    }
    for (unsigned half = grid.m / 2; half > 0; half /= 2) {
      for (unsigned item = 0; item < half; ++item) sums[item] += sums[item + half];
    }
    to[group] = sums[0];
  });
}

void scan_groups(std::span<Number> values, Grid grid, Number* sums) {
  each(grid.groups(values.size()), grid.group(), [=](uint64_t group) {
    const uint64_t first = group * grid.group();
    const uint64_t last = std::min<uint64_t>(first + grid.group(), values.size());
    Number sum = 0;
    for (uint64_t i = first; i < last; ++i) values[i] = sum += values[i];
    sums[group] = sum;
  });
}

class CoresWay : public Way {
 public:
  CoresWay(bool scan, std::shared_ptr<const Numbers> from) : scan_(scan), from_(std::move(from)) {}
  void run() final {
    with_threads(machine_cores(), [&] { work(); });
  }
  Numbers answer() final { return scan_ ? to_ : Numbers{sum_}; }

 protected:
  virtual void work() = 0;
  const bool scan_;
  const std::shared_ptr<const Numbers> from_;
  Numbers to_;
  Number sum_ = 0;
};

/// The tree of pairs at growing distances, and doubling: on the whole array.
class NaiveOnCores final : public CoresWay {
 public:
  using CoresWay::CoresWay;
  void prepare() override { to_ = *from_, other_.resize(scan_ ? to_.size() : 0); }

 protected:
  void work() override {
    const uint64_t n = to_.size();
    for (uint64_t d = 1; d < n; d *= 2) {
      if (scan_) {
        each(n, 1, [&](uint64_t i) { other_[i] = i < d ? to_[i] : to_[i] + to_[i - d]; });
        std::swap(to_, other_);
      } else {
        each((n + d - 1) / (2 * d), 1, [&](uint64_t p) { to_[2 * d * p] += to_[2 * d * p + d]; });
      }
    }
    sum_ = n > 0 ? to_[0] : 0;
  }

 private:
  Numbers other_;
};

class TunedOnCores final : public CoresWay {
 public:
  TunedOnCores(bool scan, std::shared_ptr<const Numbers> from, Grid grid)
      : CoresWay(scan, std::move(from)), grid_(grid) {
    for (uint64_t n = grid.groups(from_->size());; n = grid.groups(n)) {
      sums_.emplace_back(n);
      if (n <= 1) break;
    }
  }
  void prepare() override {
    if (scan_) to_ = *from_;
  }

 protected:
  void work() override {
    if (scan_) return scan(to_, 0);
    std::span<const Number> level = *from_;
    for (Numbers& sums : sums_) reduce_groups(level, grid_, sums.data()), level = sums;
    sum_ = level.empty() ? 0 : level[0];
  }

 private:
  void scan(std::span<Number> values, size_t depth) {
    Numbers& sums = sums_[depth];
    scan_groups(values, grid_, sums.data());
    if (sums.size() <= 1) return;
    scan(sums, depth + 1);
    each(sums.size() - 1, grid_.group(), [&, grid = grid_](uint64_t before) {
      const uint64_t first = (before + 1) * grid.group();
      const uint64_t last = std::min<uint64_t>(first + grid.group(), values.size());
      for (uint64_t i = first; i < last; ++i) values[i] += sums[before];
    });
  }

  const Grid grid_;
  std::vector<Numbers> sums_;
};

class OursOnCores final : public CoresWay {
 public:
  using CoresWay::CoresWay;
  void prepare() override { to_.resize(from_->size()); }

 protected:
  void work() override {
    const auto add = [](Number a, Number b) { return a + b; };
    if (scan_) return lanewise::scan<Number>(*from_, to_.data(), true, 0, add);
    sum_ = lanewise::reduce<Number>(*from_, 0, add);
  }
};

// On GPUs: the same source for CUDA and OpenCL.

/// What the algorithms need of a device.
class Launcher {
 public:
  virtual ~Launcher() = default;
  virtual uint64_t allocate(uint64_t numbers) = 0;  ///< until the launcher is destroyed
  virtual void upload(uint64_t to, const Numbers& from) = 0;
  virtual void download(Numbers& to, uint64_t from) = 0;
  virtual void launch(const std::string& kernel, uint64_t groups, unsigned items,
                      std::span<const uint64_t> arguments) = 0;
  virtual void finish() = 0;
};

class CudaLauncher final : public Launcher {
 public:
  explicit CudaLauncher(gpu::Device& gpu)
      : stream(gpu),
        pool(gpu),
        staging_(gpu),
        module_(gpu::build(gpu, {.name = "grid", .text = grid_kernels(GridLanguage::kCuda)}).module) {}

  uint64_t allocate(uint64_t numbers) override {
    buffers_.push_back(pool.allocate(numbers * sizeof(Number), stream, "benchmark"));
    return buffers_.back().address();
  }
  void upload(uint64_t to, const Numbers& from) override {
    staging_.upload(to, from.data(), from.size() * sizeof(Number), stream);
  }
  void download(Numbers& to, uint64_t from) override {
    staging_.download(to.data(), from, to.size() * sizeof(Number), stream);
  }
  void launch(const std::string& kernel, uint64_t groups, unsigned items,
              std::span<const uint64_t> arguments) override {
    module_.kernel(kernel).launch_words(stream, {.blocks = groups, .threads = items}, arguments);
  }
  void finish() override { stream.synchronize(); }

  gpu::Stream stream;
  gpu::DevicePool pool;

 private:
  gpu::Staging staging_;
  gpu::Module module_;
  std::vector<gpu::DeviceBuffer> buffers_;
};

class OpenClLauncher final : public Launcher {
 public:
  OpenClLauncher() : device_(gpu::OpenClDevice::system()) {
    // Compiled once, as it takes seconds; it lives as long as the device.
    static gpu::OpenClDevice::Program* const kProgram =
        device_.build(grid_kernels(GridLanguage::kOpenCl)).release();
    program_ = kProgram;
  }

  uint64_t allocate(uint64_t numbers) override {
    buffers_.push_back(device_.allocate(std::max<uint64_t>(numbers * sizeof(Number), 8)));
    return reinterpret_cast<uint64_t>(buffers_.back().get());
  }
  void upload(uint64_t to, const Numbers& from) override {
    device_.upload(memory(to), from.data(), from.size() * sizeof(Number));
  }
  void download(Numbers& to, uint64_t from) override {
    device_.download(to.data(), memory(from), to.size() * sizeof(Number));
  }
  void launch(const std::string& kernel, uint64_t groups, unsigned items,
              std::span<const uint64_t> arguments) override {
    program_->launch(program_->kernel(kernel), groups, items, arguments);
  }
  void finish() override { device_.finish(); }

 private:
  static gpu::opencl::Memory memory(uint64_t handle) { return reinterpret_cast<gpu::opencl::Memory>(handle); }

  gpu::OpenClDevice& device_;
  gpu::OpenClDevice::Program* program_ = nullptr;
  std::vector<std::shared_ptr<gpu::opencl::MemoryObject>> buffers_;
};

/// The numbers on a device, and memory for every algorithm.
struct Resident {
  Resident(std::shared_ptr<Launcher> on, const Numbers& numbers)
      : device(std::move(on)),
        n(numbers.size()),
        from(device->allocate(n)),
        to(device->allocate(n)),
        other(device->allocate(n)) {
    device->upload(from, numbers);
    for (uint64_t left = n; left > 1; left = Grid{64, 4}.groups(left)) {
      sums.push_back(device->allocate(Grid{64, 4}.groups(left)));  // enough for all m and c
    }
    if (sums.empty()) sums.push_back(device->allocate(1));
  }
  Numbers numbers_at(uint64_t address, uint64_t count) const {
    Numbers numbers(count);
    device->download(numbers, address);
    return numbers;
  }

  std::shared_ptr<Launcher> device;
  uint64_t n;
  uint64_t from, to, other;
  std::vector<uint64_t> sums;
};

class GpuWay : public Way {
 public:
  GpuWay(bool scan, std::shared_ptr<Resident> data) : scan_(scan), data_(std::move(data)) {}
  void prepare() override { data_->device->finish(); }
  void run() final {
    result_ = work();
    data_->device->finish();
  }
  Numbers answer() final { return data_->numbers_at(result_, scan_ ? data_->n : 1); }

 protected:
  virtual uint64_t work() = 0;  ///< returns where the result is
  void launch(const std::string& kernel, uint64_t groups, unsigned items,
              std::initializer_list<uint64_t> arguments) const {
    data_->device->launch(kernel, groups, items, {arguments.begin(), arguments.size()});
  }
  const bool scan_;
  const std::shared_ptr<Resident> data_;

 private:
  uint64_t result_ = 0;
};

class NaiveOnGpu final : public GpuWay {
 public:
  using GpuWay::GpuWay;
  void prepare() override {
    launch("copy_all", blocks(data_->n), kItems, {data_->from, data_->n, data_->to});
    GpuWay::prepare();
  }

 protected:
  uint64_t work() override {
    uint64_t now = data_->to, next = data_->other;
    for (uint64_t d = 1; d < data_->n; d *= 2) {
      if (scan_) {
        launch("naive_scan", blocks(data_->n), kItems, {now, data_->n, next, d});
        std::swap(now, next);
      } else {
        launch("naive_reduce", blocks((data_->n + 2 * d - 1) / (2 * d)), kItems, {now, data_->n, d});
      }
    }
    return now;
  }

 private:
  static constexpr unsigned kItems = 256;
  static uint64_t blocks(uint64_t items) { return (items + kItems - 1) / kItems; }
};

class TunedOnGpu final : public GpuWay {
 public:
  TunedOnGpu(bool scan, std::shared_ptr<Resident> data, Grid grid)
      : GpuWay(scan, std::move(data)), grid_(grid), name_(fmt::format("_{}_{}", grid.m, grid.c)) {}

 protected:
  uint64_t work() override {
    if (scan_) return scan(data_->from, data_->to, data_->n, 0), data_->to;
    uint64_t at = data_->from, n = data_->n;
    size_t level = 0;
    do {
      const uint64_t groups = grid_.groups(n);
      launch("reduce" + name_, groups, grid_.m, {at, n, data_->sums[level]});
      at = data_->sums[level++], n = groups;
    } while (n > 1);
    return at;
  }

 private:
  void scan(uint64_t from, uint64_t to, uint64_t n, size_t level) {
    const uint64_t groups = grid_.groups(n), sums = data_->sums[level];
    launch("scan" + name_, groups, grid_.m, {from, n, to, sums});
    if (groups <= 1) return;
    scan(sums, sums, groups, level + 1);
    launch("add" + name_, groups - 1, grid_.m, {to, n, sums});
  }

  const Grid grid_;
  const std::string name_;
};

class OursOnGpu final : public GpuWay {
 public:
  OursOnGpu(bool scan, std::shared_ptr<Resident> data, std::shared_ptr<CudaLauncher> cuda)
      : GpuWay(scan, std::move(data)), cuda_(std::move(cuda)), arrays_(cuda_->pool) {}

 protected:
  uint64_t work() override {
    if (scan_) {
      arrays_.scan(Combine::kSum, Element::kInt32, true, data_->from, data_->n, data_->to, cuda_->stream);
    } else {
      arrays_.reduce(Combine::kSum, Element::kInt32, data_->from, data_->n, data_->to, cuda_->stream);
    }
    return data_->to;
  }

 private:
  std::shared_ptr<CudaLauncher> cuda_;
  DeviceArrays arrays_;
};

std::string name_of(const char* device, Grid grid) {
  return fmt::format("{}, m = {}, c = {}", device, grid.m, grid.c);
}

void for_grids(const std::function<void(Grid)>& f) {
  for (const unsigned m : kGridItems) {
    for (const unsigned c : kGridValues) f({m, c});
  }
}

/// Adds the levels of a device, or why there are none.
void add_gpu(const char* name, std::vector<Contender>& levels, bool scan, const Numbers& numbers,
             const std::function<std::shared_ptr<Launcher>()>& open) {
  try {
    const std::shared_ptr<Launcher> device = open();
    const auto data = std::make_shared<Resident>(device, numbers);
    levels.push_back(level_of(fmt::format("{}, naive", name), std::make_shared<NaiveOnGpu>(scan, data)));
    for_grids([&](Grid grid) {
      levels.push_back(level_of(name_of(name, grid), std::make_shared<TunedOnGpu>(scan, data, grid)));
    });
    if (const auto cuda = std::dynamic_pointer_cast<CudaLauncher>(device)) {
      levels.push_back(
          level_of(fmt::format("{}, Lanewise", name), std::make_shared<OursOnGpu>(scan, data, cuda)));
    }
  } catch (const CancelledError&) {
    throw;
  } catch (const std::exception& error) {
    levels.push_back({.level = name, .not_offered = error.what()});
  }
}

}  // namespace

std::vector<Contender> grid_levels(bool scan, uint64_t n, uint64_t seed, gpu::Device* cuda, bool opencl) {
  Random random(seed);
  const auto numbers = std::make_shared<Numbers>(n);
  for (Number& number : *numbers) number = static_cast<Number>(random.below(1000));
  std::vector<Contender> levels = {level_of("cores, naive", std::make_shared<NaiveOnCores>(scan, numbers))};
  for_grids([&](Grid grid) {
    levels.push_back(level_of(name_of("cores", grid), std::make_shared<TunedOnCores>(scan, numbers, grid)));
  });
  levels.push_back(level_of("cores, Lanewise", std::make_shared<OursOnCores>(scan, numbers)));
  if (cuda != nullptr) {
    add_gpu("cuda", levels, scan, *numbers, [&] { return std::make_shared<CudaLauncher>(*cuda); });
  }
  if (opencl) add_gpu("opencl", levels, scan, *numbers, [] { return std::make_shared<OpenClLauncher>(); });
  return levels;
}

}  // namespace lanewise::cli::bench
