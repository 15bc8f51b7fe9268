#include "exec/device/join_table.h"

#include <algorithm>
#include <bit>

#include "exec/device/branch_run.h"
#include "exec/device/join-inl.h"
#include "exec/device/kernel_writer.h"
#include "exec/device/pairs-inl.h"
#include "exec/profile.h"

namespace lanewise::exec {

namespace {

constexpr std::string_view kTable = "Join";

std::vector<DeviceColumn> uploaded(const ops::Build& build, const Options& options, Accelerator& gpu,
                                   DeviceTimes& times) {
  const DeviceUpload upload{gpu.pool, gpu.staging, gpu.stream, options.budget};
  const Stopwatch watch;
  std::vector<DeviceColumn> columns;
  for (const auto* held : {&build.columns, &build.keys}) {
    for (const ColumnPtr& column : *held) {
      const std::vector<ColumnPiece> pieces = {{column, 0, column->rows}};
      columns.push_back(to_device(column->type, pieces, upload));
      times.uploaded += columns.back().bytes();
    }
  }
  times.upload_seconds += watch.seconds();
  return columns;
}

/// A program of nothing but a probe's keys, which are its columns.
Program keys_of(const plan::Join& join) {
  Program program;
  program.stages.resize(1);
  program.probes.push_back(
      {.join = &join, .result = 0, .keys = {}, .condition = nullptr, .first_column = 0, .kept = 0});
  for (const plan::JoinKey& key : join.keys) {
    program.probes[0].keys.push_back(key.right);
    program.types.push_back(key.right->type);
  }
  return program;
}

}  // namespace

JoinTable::JoinTable(const plan::Join& join, std::vector<DeviceColumn> columns, uint64_t rows,
                     const Options& options, Accelerator& gpu, DeviceTimes& times)
    : gpu_(gpu), rows_(rows), keys_(join.keys.size()), columns_(std::move(columns)) {
  fill(join, options, times);
}

JoinTable::JoinTable(const plan::Join& join, const ops::Build& build, const Options& options,
                     Accelerator& gpu, DeviceTimes& times)
    : JoinTable(join, uploaded(build, options, gpu, times), build.rows, options, gpu, times) {}

void JoinTable::fill(const plan::Join& join, const Options& options, DeviceTimes& times) {
  const auto allocate = [&](size_t bytes) { return gpu_.pool.allocate(bytes, gpu_.stream, kTable); };
  slots_ = allocate(std::bit_ceil(std::max<uint64_t>(2 * rows_, 64)) * sizeof(uint64_t));  // half are free
  static_assert(kernel::kFreeSlot == UINT64_MAX);
  gpu_.stream.fill(slots_.address(), 0xff, slots_.size());
  device::DeviceBuffer noted_of_keys = allocate(sizeof(uint32_t));
  gpu_.stream.fill(noted_of_keys.address(), 0, noted_of_keys.size());
  marks_.type = TypeId::kBool;
  if (ops::asks_right(join.kind)) {
    marks_.rows = static_cast<int64_t>(rows_);
    marks_.values = allocate(rows_);
    gpu_.stream.fill(marks_.values.address(), 0, rows_);
  }

  const Program program = keys_of(join);
  const size_t keys = join.keys.size(), kept = columns_.size() - keys;
  std::vector<size_t> columns;
  std::vector<ColumnForm> forms;
  for (size_t key = 0; key < keys; ++key) {
    columns.push_back(key);
    forms.push_back(form_of(columns_[kept + key], 0));
  }
  const DeviceSink none(nullptr, {});
  const KernelWriter writer(program, none, columns, forms);
  kernel::Job job{};
  job.words[KernelWriter::kRows] = rows_;
  for (size_t key = 0; key < keys; ++key) writer.set_column(job, key, columns_[kept + key]);
  kernel::u64* words = &job.words[writer.probe_word(0)];
  words[KernelWriter::kSlotsOf] = slots();
  words[KernelWriter::kMaskOf] = mask();

  KernelClock clock(gpu_.stream, gpu_.timers);
  const uint64_t most = most_blocks(gpu_), blocks = (rows_ + kernel::kThreads - 1) / kernel::kThreads;
  const auto run = [&](const device::Kernel& kernel, const char* name, uint64_t wanted, auto... arguments) {
    clock.time(name, 0, [&] {
      kernel.launch(gpu_.stream,
                    {.blocks = std::clamp<uint64_t>(wanted, 1, most), .threads = kernel::kThreads},
                    arguments...);
    });
  };
  const auto own = [&](const char* name) {
    const auto built = gpu_.modules.get(writer.table_text().text());
    return std::pair(built, built->module.kernel(name));
  };
  const auto filling = own("fill");
  job.words[KernelWriter::kOut] = noted_of_keys.address();
  run(filling.second, "fill", blocks, job);
  const auto noted = fetch_one<uint32_t>(gpu_, noted_of_keys.address());
  has_null_keys_ = (noted & kernel::kNullKeys) != 0;
  const bool asks_runs = plan::gives_right(join.kind) || join.condition != nullptr;
  if ((noted & kernel::kKeysRepeat) != 0 && asks_runs) {
    device::DeviceBuffer standing = allocate(rows_ * sizeof(uint32_t));
    counts_ = allocate(rows_ * sizeof(uint32_t));
    ends_ = allocate(rows_ * sizeof(uint32_t));
    gpu_.stream.fill(counts_.address(), 0, counts_.size());
    words[KernelWriter::kFound] = standing.address();
    job.words[KernelWriter::kOut] = counts_.address();
    run(own("count_runs").second, "count_runs", blocks, job);
    const uint64_t tiles = (rows_ + kernel::kTileRows - 1) / kernel::kTileRows;
    device::DeviceBuffer sums = allocate((tiles + 1) * sizeof(uint64_t));
    const auto shared = [&](const char* name, uint64_t wanted, auto... arguments) {
      clock.time(name, 0, [&] {
        gpu_.list_kernel(name).launch(gpu_.stream, {.blocks = wanted, .threads = kernel::kThreads},
                                      arguments...);
      });
    };
    shared("sum_tiles", tiles, counts(), rows_, sums.address());
    shared("scan_tiles", 1, sums.address(), tiles);
    shared("start_runs", tiles, counts(), rows_, sums.address(), ends());
    order_ = allocate(rows_ * sizeof(uint32_t));
    shared("order_rows", std::min(most, blocks), standing.address(), rows_, ends(), order());
  }
  if (options.cancellation != nullptr) gpu_.stream.synchronize(*options.cancellation);
  times.kernel_seconds += clock.settle(times.kernels);
}

}  // namespace lanewise::exec
