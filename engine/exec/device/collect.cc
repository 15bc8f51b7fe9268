#include "exec/device/collect.h"

#include <algorithm>

#include "base/error.h"
#include "exec/device/compact-inl.h"

namespace lanewise::exec {

namespace {

constexpr std::string_view kWhat = "Result";
/// Rows that are brought to the host at a time.
constexpr uint64_t kSlice = uint64_t{1} << 24;

uint64_t tiles_of(uint64_t count, uint64_t tile) { return (count + tile - 1) / tile; }

}  // namespace

RowList list_rows(BranchRun& run, Accelerator& gpu, device::cuda::Address bitmap, uint64_t rows) {
  const uint64_t words = tiles_of(rows, 32), tiles = tiles_of(words, kernel::kTileWords);
  const device::DeviceBuffer starts = run.allocate((tiles + 1) * sizeof(uint64_t), kWhat);
  run.launch("count_tiles", tiles, bitmap, words, starts.address());
  run.launch("scan_tiles", 1, starts.address(), tiles);
  RowList list;
  list.count = fetch_one<uint64_t>(gpu, starts.address() + tiles * sizeof(uint64_t));
  list.rows = run.allocate(list.count * sizeof(uint32_t), kWhat);
  if (list.count != 0) run.launch("list_rows", tiles, bitmap, words, starts.address(), list.rows.address());
  return list;
}

Collector::Collector(const DeviceSink& sink, const Schema& schema, const Options& options, Accelerator& gpu)
    : schema_(schema),
      options_(options),
      gpu_(gpu),
      offset_(static_cast<uint64_t>(sink.offset)),
      wanted_(sink.limit < 0 || sink.limit > INT64_MAX - sink.offset
                  ? UINT64_MAX
                  : static_cast<uint64_t>(sink.limit == 0 ? 0 : sink.offset + sink.limit)) {}

void Collector::take(BranchRun& run, const MarkedRows& from) {
  const RowList list = list_rows(run, gpu_, from.bitmap, from.rows);
  take(run, from.job, list, std::min(list.count, offset_ > seen_ ? offset_ - seen_ : 0),
       std::min(list.count, wanted_ - seen_));
  seen_ += list.count;
}

void Collector::take(BranchRun& run, const kernel::Job& job, const RowList& list, uint64_t first,
                     uint64_t last) {
  const size_t before = batches_.size();
  try {
    for (uint64_t at = first; at < last; at += kSlice) {
      if (options_.cancellation != nullptr) options_.cancellation->check();
      project(run, job, list, at, std::min(kSlice, last - at));
    }
  } catch (const DeviceFull&) {
    batches_.resize(before);
    throw;
  }
}

void Collector::project(BranchRun& run, kernel::Job job, const RowList& list, uint64_t first, uint64_t rows) {
  job.words[KernelWriter::kRows] = rows;
  job.words[KernelWriter::kList] = list.rows.address() + first * sizeof(uint32_t);
  std::vector<device::DeviceBuffer> values, validity;
  for (size_t i = 0; i < schema_.size(); ++i) {
    const Type type = schema_[i].type;
    values.push_back(
        run.allocate(rows * (type.is_string() ? sizeof(kernel::Text) : width(type.physical())), kWhat));
    validity.push_back(run.allocate(bits::words(rows) * sizeof(uint64_t), kWhat));
    job.words[run.writer().output_word(i)] = values[i].address();
    job.words[run.writer().output_word(i) + 1] = validity[i].address();
  }
  run.launch_rows("project", job, rows);
  Batch batch;
  batch.rows = static_cast<int64_t>(rows);
  for (size_t i = 0; i < schema_.size(); ++i)
    batch.columns.push_back(fetch(schema_[i].type, rows, values[i], validity[i], run));
  batches_.push_back(std::move(batch));
}

ColumnPtr Collector::fetch(Type type, uint64_t rows, const device::DeviceBuffer& values,
                           const device::DeviceBuffer& validity, BranchRun& run) {
  auto column = std::make_shared<Column>();
  column->type = type;
  column->rows = static_cast<int64_t>(rows);
  column->validity = Buffer::allocate(bits::words(rows) * sizeof(uint64_t), options_.budget, kWhat);
  auto* words = column->validity.mutable_as<uint64_t>();
  words[bits::words(rows) - 1] = 0;  // kernels write 32 rows at a time
  gpu_.staging.download(words, validity.address(), tiles_of(rows, 32) * sizeof(uint32_t), gpu_.stream);
  column->nulls = static_cast<int64_t>(rows - bits::count(words, rows));
  if (column->nulls == 0) column->validity = Buffer();
  if (type.is_string()) {
    fetch_texts(*column, values, run);
  } else {
    column->values = Buffer::allocate(values.size(), options_.budget, kWhat);
    gpu_.staging.download(column->values.mutable_data(), values.address(), values.size(), gpu_.stream);
  }
  return column;
}

void Collector::fetch_texts(Column& column, const device::DeviceBuffer& texts, BranchRun& run) {
  const auto rows = static_cast<uint64_t>(column.rows);
  const uint64_t tiles = rows / kernel::kTileTexts + 1;  // of offsets, which are one more
  const device::DeviceBuffer starts = run.allocate((tiles + 1) * sizeof(uint64_t), kWhat);
  const device::DeviceBuffer offsets = run.allocate((rows + 1) * sizeof(uint64_t), kWhat);
  run.launch("count_bytes", tiles, texts.address(), rows, starts.address());
  run.launch("scan_tiles", 1, starts.address(), tiles);
  run.launch("lay_out", tiles, texts.address(), rows, starts.address(), offsets.address());
  const auto size = fetch_one<uint64_t>(gpu_, starts.address() + tiles * sizeof(uint64_t));
  const device::DeviceBuffer bytes = run.allocate(size, kWhat);
  run.launch("copy_texts", std::min(most_blocks(gpu_), tiles_of(rows, kernel::kThreads / 32)),
             texts.address(), rows, offsets.address(), bytes.address());

  column.values = Buffer::allocate(size, options_.budget, kWhat);
  gpu_.staging.download(column.values.mutable_data(), bytes.address(), size, gpu_.stream);
  column.offsets = Buffer::allocate((rows + 1) * sizeof(uint64_t), options_.budget, kWhat);
  auto* wide = column.offsets.mutable_as<uint64_t>();
  gpu_.staging.download(wide, offsets.address(), (rows + 1) * sizeof(uint64_t), gpu_.stream);
  column.wide_offsets = size > UINT32_MAX;
  if (column.wide_offsets) return;
  Buffer narrow = Buffer::allocate((rows + 1) * sizeof(uint32_t), options_.budget, kWhat);
  std::transform(wide, wide + rows + 1, narrow.mutable_as<uint32_t>(),
                 [](uint64_t offset) { return static_cast<uint32_t>(offset); });
  column.offsets = std::move(narrow);
}

}  // namespace lanewise::exec
