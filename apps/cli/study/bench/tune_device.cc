#include "study/bench/tune_device.h"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <vector>

#include "base/machine.h"
#include "gpu/modules/kernels.h"
#include "gpu/staging.h"
#include "ops/gpu/rows/row_kernels.h"
#include "study/bench/pipelines.h"

namespace lanewise::cli::bench {

namespace {

constexpr int kDeviceRounds = 5;
constexpr uint64_t kFewRows = 1 << 16, kManyRows = 1 << 24;
/// A GPU whose times for few rows are all the same is measured with many.
constexpr double kFast = 0.02;

template <class F>
double seconds_taken(F&& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

/// A temporary folder.
class Folder {
 public:
  Folder()
      : path_(std::filesystem::temp_directory_path() / ("lanewise-tune-" + std::to_string(::getpid()))) {}
  ~Folder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  const std::filesystem::path& path() const { return path_; }

 private:
  const std::filesystem::path path_;
};

/// The times that do not depend on the pipeline.
void measure_transfers(gpu::Device& device, ops::DeviceCosts& costs) {
  constexpr size_t kBytes = size_t{64} << 20;
  gpu::Stream stream(device);
  gpu::DevicePool pool(device);
  gpu::Staging staging(device);
  std::vector<uint8_t> host(kBytes, 1);
  const gpu::DeviceBuffer buffer = pool.allocate(kBytes, stream, "Measuring transfers");
  for (int round = 0; round < kDeviceRounds; ++round) {
    const double up = seconds_taken([&] {
      staging.upload(buffer.address(), host.data(), kBytes, stream);
      stream.synchronize();
    });
    const double down =
        seconds_taken([&] { staging.download(host.data(), buffer.address(), kBytes, stream); });
    costs.upload = std::max(costs.upload, kBytes / up);
    costs.download = std::max(costs.download, kBytes / down);
  }
  // The kernels that all queries share are a source of typical size.
  const gpu::KernelSource source = codegen::kernel_source(ops::list_kernels());
  const Folder folder;
  gpu::KernelCache cache(folder.path());
  const gpu::KernelCache none_ahead({});  // even if they were compiled with the program
  const auto build = [&] { gpu::build(device, source, cache, none_ahead); };
  costs.compile = seconds_taken(build);
  costs.load = seconds_taken(build);
}

/// The least times of a query with columns in memory: in all, and of its kernels.
struct Times {
  double run = 1e9, kernels = 1e9;
};
Times time(StoppableSession& session, const std::string& query) {
  Times least;
  for (int round = 0; round <= kDeviceRounds; ++round) {
    const StatementResult result = session.run(query);
    double kernels = 0;
    for (const ops::OperatorProfile& line : result.profile) kernels += line.kernel_seconds;
    if (round == 0) continue;  // this run reads, compiles and uploads
    least.run = std::min(least.run, result.run_seconds);
    least.kernels = std::min(least.kernels, kernels);
  }
  return least;
}

/// The rates of a device. Those of a GPU are of its kernels; the time around them counts as start.
class RatesOf {
 public:
  RatesOf(const SessionOptions& options, const Cancellation& cancellation)
      : session_(options, cancellation), is_gpu_(options.device != "cpu") {}

  /// Seconds of all queries.
  double measure(uint64_t rows, const std::function<void(const std::string&)>& say) {
    make_tables(session_, 1000);
    const Times least = time(session_, measured_pipelines()[0].query);
    rates.start = least.run - (is_gpu_ ? least.kernels : 0);
    make_tables(session_, rows);
    double all = 0;
    for (const MeasuredPipeline& pipeline : measured_pipelines()) {
      say(pipeline.name);
      const Times took = time(session_, pipeline.query);
      const double seconds = is_gpu_ ? took.kernels : std::max(took.run - rates.start, took.run / 10);
      rates.*pipeline.rate = pipeline.units * static_cast<double>(rows_of(pipeline, rows)) / seconds;
      all += seconds;
    }
    return all;
  }

  ops::Rates rates;

 private:
  StoppableSession session_;
  const bool is_gpu_;
};

}  // namespace

ops::PlacementCosts tune_device(const Cancellation& cancellation,
                                const std::function<void(const std::string&, double)>& say) {
  ops::PlacementCosts costs;
  say("measuring how long a GPU takes to open", -1);
  SessionOptions host, gpu;
  gpu.device = "cuda";
  const double without = seconds_taken([&] { const Session session(host); });
  const double with = seconds_taken([&] { const Session session(gpu); });
  costs.device.open = std::max(with - without, 1e-6);
  gpu::Device& device = gpu::Driver::system().device(0);
  costs.device.name = device.properties().name;
  say("measuring transfers and kernels' compilation", -1);
  measure_transfers(device, costs.device);

  uint64_t rows = kFewRows;
  const auto on = [&](const std::string& which) {
    return [&, which](const std::string& what) { say("measuring " + what + " on the " + which, -1); };
  };
  RatesOf on_gpu(gpu, cancellation);
  if (on_gpu.measure(rows, on("GPU")) < kFast) {
    rows = kManyRows;
    on_gpu.measure(rows, on("GPU"));
  }
  costs.device.rates = on_gpu.rates;
  RatesOf on_host(host, cancellation);
  on_host.measure(rows, on("CPU"));
  costs.host = on_host.rates;
  costs.threads = machine_cores();
  return costs;
}

}  // namespace lanewise::cli::bench
