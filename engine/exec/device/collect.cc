#include "exec/device/collect.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "base/error.h"
#include "exec/device/compact-inl.h"

namespace lanewise::exec {

namespace {

constexpr std::string_view kWhat = "Result";
/// Rows that are brought to the host at a time.
constexpr uint64_t kSlice = uint64_t{1} << 24;
/// Bytes that come to the host at once, whatever they are.
constexpr size_t kSmall = size_t{1} << 20;

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
  constexpr size_t kAlignment = 256;
  struct Place {
    size_t values, bytes, validity;
  };
  std::vector<Place> places;
  size_t total = 0;
  const auto reserve = [&](size_t bytes) {
    return std::exchange(total, total + (bytes + kAlignment - 1) / kAlignment * kAlignment);
  };
  for (const Field& field : schema_) {
    const size_t bytes =
        rows * (field.type.is_string() ? sizeof(kernel::Text) : width(field.type.physical()));
    const size_t values = reserve(bytes);
    places.push_back({values, bytes, reserve(bits::words(rows) * sizeof(uint64_t))});
  }
  const device::DeviceBuffer block = run.allocate(total, kWhat);
  const bool at_once = total <= kSmall;  // each transfer is a round trip
  if (at_once) gpu_.stream.fill(block.address(), 0, total);
  job.words[KernelWriter::kRows] = rows;
  job.words[KernelWriter::kList] = list.rows.address() + first * sizeof(uint32_t);
  for (size_t i = 0; i < places.size(); ++i) {
    job.words[run.writer().output_word(i)] = block.address() + places[i].values;
    job.words[run.writer().output_word(i) + 1] = block.address() + places[i].validity;
  }
  run.launch_rows("project", job, rows);

  std::vector<uint8_t> host(at_once ? total : 0);
  gpu_.staging.download(host.data(), block.address(), host.size(), gpu_.stream);
  const auto bring = [&](void* to, size_t place, size_t bytes) {
    if (host.empty()) return gpu_.staging.download(to, block.address() + place, bytes, gpu_.stream);
    if (bytes != 0) std::memcpy(to, host.data() + place, bytes);
  };
  Batch batch;
  batch.rows = static_cast<int64_t>(rows);
  for (size_t i = 0; i < places.size(); ++i) {
    auto column = std::make_shared<Column>();
    column->type = schema_[i].type;
    column->rows = batch.rows;
    column->validity = Buffer::allocate(bits::words(rows) * sizeof(uint64_t), options_.budget, kWhat);
    auto* words = column->validity.mutable_as<uint64_t>();
    words[bits::words(rows) - 1] = 0;  // kernels write 32 rows at a time
    bring(words, places[i].validity, tiles_of(rows, 32) * sizeof(uint32_t));
    column->nulls = static_cast<int64_t>(rows - bits::count(words, rows));
    if (column->nulls == 0) column->validity = Buffer();
    if (column->type.is_string()) {
      fetch_texts(*column, block.address() + places[i].values, run);
    } else {
      column->values = Buffer::allocate(places[i].bytes, options_.budget, kWhat);
      bring(column->values.mutable_data(), places[i].values, places[i].bytes);
    }
    batch.columns.push_back(std::move(column));
  }
  batches_.push_back(std::move(batch));
}

void Collector::fetch_texts(Column& column, device::cuda::Address texts, BranchRun& run) {
  const auto rows = static_cast<uint64_t>(column.rows);
  const uint64_t tiles = rows / kernel::kTileTexts + 1;  // of offsets, which are one more
  const device::DeviceBuffer starts = run.allocate((tiles + 1) * sizeof(uint64_t), kWhat);
  const device::DeviceBuffer offsets = run.allocate((rows + 1) * sizeof(uint64_t), kWhat);
  run.launch("count_bytes", tiles, texts, rows, starts.address());
  run.launch("scan_tiles", 1, starts.address(), tiles);
  run.launch("lay_out", tiles, texts, rows, starts.address(), offsets.address());
  column.offsets = Buffer::allocate((rows + 1) * sizeof(uint64_t), options_.budget, kWhat);
  auto* wide = column.offsets.mutable_as<uint64_t>();
  gpu_.staging.download(wide, offsets.address(), (rows + 1) * sizeof(uint64_t), gpu_.stream);
  const uint64_t size = wide[rows];
  const device::DeviceBuffer bytes = run.allocate(size, kWhat);
  run.launch("copy_texts", std::min(most_blocks(gpu_), tiles_of(rows, kernel::kThreads / 32)), texts, rows,
             offsets.address(), bytes.address());
  column.values = Buffer::allocate(size, options_.budget, kWhat);
  gpu_.staging.download(column.values.mutable_data(), bytes.address(), size, gpu_.stream);
  column.wide_offsets = size > UINT32_MAX;
  if (column.wide_offsets) return;
  Buffer narrow = Buffer::allocate((rows + 1) * sizeof(uint32_t), options_.budget, kWhat);
  std::transform(wide, wide + rows + 1, narrow.mutable_as<uint32_t>(),
                 [](uint64_t offset) { return static_cast<uint32_t>(offset); });
  column.offsets = std::move(narrow);
}

}  // namespace lanewise::exec
