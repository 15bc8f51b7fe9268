#include "ops/collect/gpu/collect.h"

#include <algorithm>
#include <cstring>
#include <iterator>
#include <utility>

#include "base/error.h"
#include "codegen/compact-inl.h"
#include "ops/results/results.h"

namespace lanewise::ops {

namespace {

constexpr std::string_view kCollecting = "Result";
/// Rows that are brought to the host at a time.
constexpr uint64_t kSlice = uint64_t{1} << 24;
/// Bytes that come to the host at once, whatever they are.
constexpr size_t kSmall = size_t{1} << 20;
/// Room for strings that come with the columns: for each text, and at least.
constexpr size_t kRoomOfText = 64, kLeastRoom = size_t{1} << 12;

}  // namespace

Destination destination(Goal goal, bool only) {
  if (goal == Goal::kHost) return Destination::kHost;
  return only ? Destination::kDeviceIfMany : Destination::kDevice;
}

Collector::Collector(const Schema& schema, const Options& options, Accelerator& gpu, WantedRows wanted,
                     Destination to)
    : schema_(schema),
      options_(options),
      gpu_(gpu),
      offset_(static_cast<uint64_t>(wanted.offset)),
      wanted_(wanted.limit < 0 || wanted.limit > INT64_MAX - wanted.offset
                  ? UINT64_MAX
                  : static_cast<uint64_t>(wanted.limit == 0 ? 0 : wanted.offset + wanted.limit)),
      to_(to) {}

void Collector::take(BranchRun& run, const MarkedRows& from) {
  const RowList list = list_rows(run, gpu_, from.bitmap, from.rows);
  take(run, from.job, list, std::min(list.count, offset_ > seen_ ? offset_ - seen_ : 0),
       std::min(list.count, wanted_ - seen_), from.with);
  seen_ += list.count;
}

void Collector::take(BranchRun& run, const kernel::Job& job, const RowList& list, uint64_t first,
                     uint64_t last, std::vector<gpu::Download> with) {
  if (first < last && stays(last - first)) {
    arrow::DeviceBatch batch{static_cast<int64_t>(last - first), {}};
    for (DeviceColumn& column : keep(run, job, list, first, last - first))
      batch.columns.push_back(std::make_shared<const DeviceColumn>(std::move(column)));
    kept_.push_back(std::move(batch));
    return gpu_.staging.download(with, gpu_.stream);
  }
  const size_t before = batches_.size();
  try {
    for (uint64_t at = first; at < last; at += kSlice) {
      if (options_.cancellation != nullptr) options_.cancellation->check();
      const bool is_last = last - at <= kSlice;
      project(run, job, list, at, std::min(kSlice, last - at),
              is_last ? std::exchange(with, {}) : Downloads());
    }
  } catch (const DeviceFull&) {
    batches_.resize(before);
    throw;
  }
  gpu_.staging.download(with, gpu_.stream);
}

/// Where the columns of a result lie in a block of memory that comes to the host: after a word for the bytes
/// of their strings the `Texts` of all string columns, then the others' values, validity, and room for
/// strings.
struct Collector::Layout {
  static constexpr size_t kAlignment = 256;
  struct Place {
    size_t values = 0, bytes = 0, validity = 0;
  };

  Layout(const Schema& schema, uint64_t rows) : places(schema.size()) {
    const auto place = [&](size_t i, size_t bytes) {
      places[i].values = reserve(bytes);
      places[i].bytes = bytes;
    };
    for (size_t i = 0; i < places.size(); ++i) {
      if (schema[i].type.is_string()) place(i, rows * sizeof(kernel::Text));
    }
    texts = (total - kAlignment) / sizeof(kernel::Text);
    for (size_t i = 0; i < places.size(); ++i) {
      if (!schema[i].type.is_string()) place(i, rows * width(schema[i].type.physical()));
      places[i].validity = reserve(bits::words(rows) * sizeof(uint64_t));
    }
    if (texts != 0) room = std::max(kLeastRoom, texts * kRoomOfText);
  }
  size_t reserve(size_t bytes) {
    return std::exchange(total, total + (bytes + kAlignment - 1) / kAlignment * kAlignment);
  }
  /// Whether all of it comes to the host at once.
  bool is_small() const { return total + room <= kSmall; }
  /// Puts so many rows of the list, from `first` on, into the block.
  void fill(BranchRun& run, kernel::Job job, const RowList& list, uint64_t first, uint64_t rows,
            gpu::cuda::Address block) const {
    job.words[codegen::JobLayout::kRows] = rows;
    job.words[codegen::JobLayout::kList] = list.rows.address() + first * sizeof(uint32_t);
    for (size_t i = 0; i < places.size(); ++i) {
      job.words[run.sources().builder().layout().output(i)] = block + places[i].values;
      job.words[run.sources().builder().layout().output(i) + 1] = block + places[i].validity;
    }
    run.launch_rows("project", job, rows);
  }

  std::vector<Place> places;
  size_t total = kAlignment;  // without the room
  size_t texts = 0;           // and gaps between columns
  size_t room = 0;
};

bool Collector::make_room() {
  if (kept_.empty()) return false;
  made_room_ = true;
  std::ranges::move(to_host(kept_, gpu_, options_.budget), std::back_inserter(batches_));
  kept_.clear();
  return true;
}

void Collector::bring_few() {
  uint64_t rows = 0;
  for (const arrow::DeviceBatch& batch : kept_) rows += static_cast<uint64_t>(batch.rows);
  if (kept_.size() > 1 && Layout(schema_, rows).is_small()) make_room();
}

bool Collector::stays(uint64_t rows) const {
  return to_ == Destination::kDevice ||
         (to_ == Destination::kDeviceIfMany && !Layout(schema_, rows).is_small());
}

uint64_t Collector::count_values(BranchRun& run, const MarkedRows& from) {
  const RowList list = list_rows(run, gpu_, from.bitmap, from.rows);
  uint64_t values = 0;
  for (uint64_t at = 0; at < list.count; at += kSlice) {
    const uint64_t rows = std::min(kSlice, list.count - at);
    const Layout layout(schema_, rows);
    const gpu::DeviceBuffer block = run.allocate(layout.total, kCollecting);
    layout.fill(run, from.job, list, at, rows, block.address());
    values += count_rows(run, gpu_, block.address() + layout.places[0].validity, rows);
  }
  return values;
}

void Collector::project(BranchRun& run, const kernel::Job& job, const RowList& list, uint64_t first,
                        uint64_t rows, Downloads with) {
  const Layout layout(schema_, rows);
  const bool at_once = layout.is_small();  // each transfer is a round trip
  const gpu::DeviceBuffer block = run.allocate(layout.total + (at_once ? layout.room : 0), kCollecting);
  const gpu::cuda::Address room = block.address() + layout.total;
  if (at_once) gpu_.stream.fill(block.address(), 0, block.size());
  layout.fill(run, job, list, first, rows, block.address());
  if (at_once && layout.texts != 0) {
    run.launch("gather_texts", std::min(most_blocks(gpu_), tiles_of(layout.texts, kernel::kThreads / 32)),
               block.address() + Layout::kAlignment, layout.texts, room, layout.room, block.address());
  }

  std::vector<uint8_t> host(at_once ? block.size() : 0);
  with.push_back({host.data(), block.address(), host.size()});
  with.push_back(run.bring_fault());
  gpu_.staging.download(with, gpu_.stream);
  const auto bring = [&](void* to, size_t place, size_t bytes) {
    if (!at_once) return gpu_.staging.download(to, block.address() + place, bytes, gpu_.stream);
    if (bytes != 0) std::memcpy(to, host.data() + place, bytes);
  };
  uint64_t used = UINT64_MAX;  // of the room
  if (at_once) bring(&used, 0, sizeof(used));
  Batch batch;
  batch.rows = static_cast<int64_t>(rows);
  for (size_t i = 0; i < layout.places.size(); ++i) {
    const Layout::Place& place = layout.places[i];
    auto column = std::make_shared<Column>();
    column->type = schema_[i].type;
    column->rows = batch.rows;
    column->validity = Buffer::allocate(bits::words(rows) * sizeof(uint64_t), options_.budget, kCollecting);
    auto* words = column->validity.mutable_as<uint64_t>();
    words[bits::words(rows) - 1] = 0;  // kernels write 32 rows at a time
    bring(words, place.validity, tiles_of(rows, 32) * sizeof(uint32_t));
    column->nulls = static_cast<int64_t>(rows - bits::count(words, rows));
    if (column->nulls == 0) column->validity = Buffer();
    if (!column->type.is_string()) {
      column->values = Buffer::allocate(place.bytes, options_.budget, kCollecting);
      bring(column->values.mutable_data(), place.values, place.bytes);
    } else if (used <= layout.room) {
      std::vector<kernel::Text> texts(rows);
      bring(texts.data(), place.values, place.bytes);
      place_texts(*column, texts, host.data() + layout.total, room);
    } else {
      fetch_texts(*column, block.address() + place.values, run);
    }
    batch.columns.push_back(std::move(column));
  }
  batches_.push_back(std::move(batch));
}

/// Strings whose bytes came to the host: those at `from` on the device are at `room`.
void Collector::place_texts(Column& column, const std::vector<kernel::Text>& texts, const uint8_t* room,
                            gpu::cuda::Address from) {
  column.offsets = Buffer::allocate((texts.size() + 1) * sizeof(uint32_t), options_.budget, kCollecting);
  auto* offsets = column.offsets.mutable_as<uint32_t>();
  offsets[0] = 0;
  for (size_t row = 0; row < texts.size(); ++row)
    offsets[row + 1] = offsets[row] + static_cast<uint32_t>(texts[row].size);
  column.values = Buffer::allocate(offsets[texts.size()], options_.budget, kCollecting);
  for (size_t row = 0; row < texts.size(); ++row) {
    if (texts[row].size == 0) continue;
    const uint8_t* bytes = room + (reinterpret_cast<uintptr_t>(texts[row].at) - from);
    std::memcpy(column.values.mutable_data() + offsets[row], bytes, texts[row].size);
  }
}

std::vector<DeviceColumn> Collector::keep(BranchRun& run) {
  const RowList list = list_rows(run, gpu_, run.active(), run.rows());
  std::vector<DeviceColumn> columns = keep(run, run.job(), list, 0, list.count);
  seen_ += list.count;
  return columns;
}

std::vector<DeviceColumn> Collector::keep(BranchRun& run, kernel::Job job, const RowList& list,
                                          uint64_t first, uint64_t rows) {
  std::vector<DeviceColumn> columns;
  std::vector<gpu::DeviceBuffer> texts(schema_.size());
  job.words[codegen::JobLayout::kRows] = rows;
  job.words[codegen::JobLayout::kList] = list.rows.address() + first * sizeof(uint32_t);
  for (size_t i = 0; i < schema_.size(); ++i) {
    DeviceColumn column;
    column.type = schema_[i].type;
    column.rows = static_cast<int64_t>(rows);
    const bool is_string = column.type.is_string();
    const size_t bytes = is_string ? sizeof(kernel::Text) : width(column.type.physical());
    (is_string ? texts[i] : column.values) = run.allocate(rows * bytes, kCollecting);
    column.validity = run.allocate(bits::words(rows) * sizeof(uint64_t), kCollecting);
    job.words[run.sources().builder().layout().output(i)] = (is_string ? texts[i] : column.values).address();
    job.words[run.sources().builder().layout().output(i) + 1] = column.validity.address();
    columns.push_back(std::move(column));
  }
  if (rows != 0) run.launch_rows("project", job, rows);
  for (size_t i = 0; i < columns.size(); ++i) {
    if (texts[i]) lay_out_texts(columns[i], texts[i].address(), run);
    // Of groups the program does not output the columns.
    const codegen::KernelBuilder& builder = run.sources().builder();
    if (builder.sink().takes != codegen::SinkForm::Takes::kGroups &&
        !builder.may_be_null(run.program().outputs[i]))
      columns[i].validity.reset();  // it is not read then
  }
  return columns;
}

/// Makes the column's bytes and offsets of strings.
void Collector::lay_out_texts(DeviceColumn& column, gpu::cuda::Address texts, BranchRun& run) {
  const auto rows = static_cast<uint64_t>(column.rows);
  const uint64_t tiles = rows / kernel::kTileTexts + 1;  // of offsets, which are one more
  const gpu::DeviceBuffer starts = run.allocate((tiles + 1) * sizeof(uint64_t), kCollecting);
  column.offsets = run.allocate((rows + 1) * sizeof(uint64_t), kCollecting);
  column.wide_offsets = true;
  column.longest = UINT64_MAX;  // not known
  run.launch("count_bytes", tiles, texts, rows, starts.address());
  run.launch("scan_tiles", 1, starts.address(), tiles);
  run.launch("lay_out", tiles, texts, rows, starts.address(), column.offsets.address());
  const auto size = fetch_one<uint64_t>(gpu_, column.offsets.address() + rows * sizeof(uint64_t));
  column.values = run.allocate(size, kCollecting);
  if (rows != 0)
    run.launch("copy_texts", std::min(most_blocks(gpu_), tiles_of(rows, kernel::kThreads / 32)), texts, rows,
               column.offsets.address(), column.values.address());
}

void Collector::fetch_texts(Column& column, gpu::cuda::Address texts, BranchRun& run) {
  const auto rows = static_cast<uint64_t>(column.rows);
  DeviceColumn there;
  there.rows = column.rows;
  lay_out_texts(there, texts, run);
  column.offsets = Buffer::allocate((rows + 1) * sizeof(uint64_t), options_.budget, kCollecting);
  auto* wide = column.offsets.mutable_as<uint64_t>();
  gpu_.staging.download(wide, there.offsets.address(), (rows + 1) * sizeof(uint64_t), gpu_.stream);
  const uint64_t size = wide[rows];
  column.values = Buffer::allocate(size, options_.budget, kCollecting);
  gpu_.staging.download(column.values.mutable_data(), there.values.address(), size, gpu_.stream);
  column.wide_offsets = size > UINT32_MAX;
  if (column.wide_offsets) return;
  Buffer narrow = Buffer::allocate((rows + 1) * sizeof(uint32_t), options_.budget, kCollecting);
  std::transform(wide, wide + rows + 1, narrow.mutable_as<uint32_t>(),
                 [](uint64_t offset) { return static_cast<uint32_t>(offset); });
  column.offsets = std::move(narrow);
}

}  // namespace lanewise::ops
