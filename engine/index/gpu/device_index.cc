#include "index/gpu/device_index.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <mutex>
#include <optional>
#include <utility>

#include "base/error.h"
#include "gpu/memory.h"
#include "gpu/staging.h"
#include "index/gpu/runner.h"
#include "index/gpu/update/updater.h"
#include "index/sorted_batch.h"
#include "index/state.h"

namespace lanewise {

using index::Alteration;
using index::DeviceStrategy;
using index::Job;
using index::KeyForm;
using index::KeyLayout;
using index::Operation;
using index::Probes;
using index::SearchKernel;
using index::SortedBatch;
using index::State;
using index::u32;
using index::u64;
using index::u8;

namespace {

constexpr size_t kBatch = 1 << 22;     // keys that are in the device's memory at a time
constexpr u64 kMostEntries = 1 << 24;  // of ranges, unless one alone has more
constexpr u64 kPacked = 16 << 20;      // bytes of scattered pages that are copied together

KeyForm form_of(Physical physical) {
  switch (physical) {
    case Physical::kInt32:
    case Physical::kInt64:
      return KeyForm::integers;
    case Physical::kFloat32:
    case Physical::kFloat64:
      return KeyForm::reals;
    default:
      return KeyForm::words;
  }
}

/// The batch's keys as the kernels take them, where they need no change; else null.
const u8* plain_keys(const KeyLayout& layout, const Keys& keys) {
  const Keys::Part& part = keys.parts()[0];
  if (!layout.simple()) return nullptr;
  if (part.column == nullptr) return static_cast<const u8*>(part.values);
  if (part.column->dictionary || part.column->validity) return nullptr;
  return part.column->values.data();
}

size_t grown(int64_t entries) { return static_cast<size_t>(entries); }
size_t shrunk(int64_t entries) { return static_cast<size_t>(-entries); }

/// Keys that ranges have found, as columns.
class KeyCollector {
 public:
  KeyCollector(const KeyLayout& layout, MemoryBudget* budget)
      : layout_(layout), plain_(budget, "index: a range of keys") {
    for (const KeyField& field : layout.fields())
      builders_.emplace_back(field.type, budget, "index: a range of keys");
  }

  void take(const u8* words, size_t count) {
    if (layout_.decode_plane(words, count, plain_)) return;
    for (size_t i = 0; i < count; ++i) layout_.decode({words + i * layout_.row_bytes(), {}}, builders_);
  }
  void take(std::string_view text) { layout_.decode({nullptr, text}, builders_); }
  std::vector<ColumnPtr> finish() {
    std::vector<ColumnPtr> columns;
    for (ColumnBuilder& builder : builders_) {
      std::shared_ptr<Column> column = builder.finish();
      if (plain_.size() != 0) {
        column->rows = static_cast<int64_t>(plain_.size() / layout_.word());
        column->values = plain_.finish();
      }
      columns.push_back(std::move(column));
    }
    return columns;
  }

 private:
  const KeyLayout& layout_;
  BufferBuilder<u8> plain_;
  std::vector<ColumnBuilder> builders_;
};

}  // namespace

struct DeviceIndex::Impl {
  Impl(std::shared_ptr<State> of, gpu::Device& device, std::unique_ptr<index::Runner> by)
      : state(std::move(of)),
        runner(std::move(by)),
        stream(device),
        pool(device),
        staging(device, {.budget = state->budget}),
        updater(state->pool->header(), geometry(), *runner, pool, staging, stream) {
    refresh();
  }

  const index::Geometry& geometry() const { return state->pool->geometry(); }
  const KeyLayout& layout() const { return geometry().keys; }
  size_t value_bytes() const { return geometry().value_bytes; }

  gpu::DeviceBuffer allocate(size_t bytes) { return pool.allocate(bytes, stream, "searching an index"); }
  template <class T>
  gpu::DeviceBuffer upload(const T* from, size_t count) {
    gpu::DeviceBuffer buffer = allocate(count * sizeof(T));
    staging.upload(buffer.address(), from, count * sizeof(T), stream);
    return buffer;
  }
  template <class T>
  void download(T* to, const gpu::DeviceBuffer& from, size_t count) {
    staging.download(to, from.address(), count * sizeof(T), stream);
  }

  u64 refresh();
  /// Brings over the host's pages that have changed since `moment`; returns how many bytes they have.
  u64 copy_changed_pages(const index::Pool& host);
  u64 write_back();
  bool host_has_changed() const;
  /// Return by how many entries the index has grown.
  int64_t change(const index::UpdateBatch& batch);
  int64_t change(index::UpdateBatch batch, const u8* alterations, const Keys& keys, const void* values);
  int64_t change_resident(index::UpdateBatch batch);
  int64_t change_resident(index::UpdateBatch batch, Address begins);
  /// Keys that are in the device's memory.
  struct Asked {
    u64 count = 0;
    gpu::DeviceBuffer words, begins;  // of strings their bytes, and where they begin
    std::vector<u64> host_begins;     // likewise
    KeyForm form = KeyForm::words;

    Job job() const { return {.count = count, .keys = words.address(), .texts = begins.address()}; }
  };
  Asked upload(const Probes& probes, size_t first, size_t count);
  void take_keys(const gpu::DeviceBuffer& words, u64 count, KeyCollector& collector);
  void run(Operation operation, KeyForm form, Job job);
  void check_resident() const;
  void check_resident_texts() const;
  size_t find(const Keys& keys, u8* values, u64* found);
  std::vector<u64> positions(const Keys& keys, bool above);
  IndexRanges at(std::span<const u64> positions);
  IndexRanges ranges(const Keys& lows, const Keys& highs, bool with_highs, u64 limit);
  template <class F>
  void for_each_batch(const Keys& keys, F f);

  const std::shared_ptr<State> state;
  const std::unique_ptr<index::Runner> runner;
  std::mutex turn;
  DeviceStrategy strategy = DeviceStrategy::tile;
  gpu::Stream stream;
  gpu::DevicePool pool;
  gpu::Staging staging;
  index::DeviceImage image;
  u64 moment = 0;  // of the copy
  index::Updater updater;
};

bool DeviceIndex::Impl::host_has_changed() const {
  bool changed = false;
  state->pool->for_each_changed(moment, [&](u64) { changed = true; });
  return changed;
}

u64 DeviceIndex::Impl::refresh() {
  const std::lock_guard no_writer(state->writing);
  index::Pool& host = *state->pool;
  const u64 bytes = geometry().group_bytes;
  if (image.groups != 0 && !host_has_changed()) return 0;
  if (updater.changed()) {
    throw UserError("the index has changed on the host and on a device: call write_back() first");
  }
  if (layout().text() && !host.trusted()) state->tree->verify(host.header().root);  // where strings are
  host.trust(host.header().root);
  image.enlarge(host.groups(), bytes, pool, stream);
  u64 copied = host.groups() * bytes;
  if (image.groups == 0) {
    staging.upload(image.memory.address(), host.data(), copied, stream);
  } else {
    copied = copy_changed_pages(host);
  }
  moment = host.moment();
  image.groups = host.groups();
  image.root = host.header().root;
  updater.forget();
  return copied;
}

u64 DeviceIndex::Impl::copy_changed_pages(const index::Pool& host) {
  struct Run {
    u64 at, bytes;
  };
  std::vector<Run> runs;
  host.for_each_changed_page(moment, [&](u64 at) {
    if (runs.empty() || runs.back().at + runs.back().bytes != at) runs.push_back({at, 0});
    runs.back().bytes += index::Pool::kPageBytes;
  });
  u64 copied = 0;
  std::vector<u8> packed;  // short runs go together; the device takes them apart
  std::vector<Run> inside;
  const auto send = [&] {
    const gpu::DeviceBuffer there = upload(packed.data(), packed.size());
    u64 from = there.address();
    for (const Run& run : inside) {
      stream.copy(image.memory.address() + run.at, from, run.bytes);
      from += run.bytes;
    }
    packed.clear();
    inside.clear();
  };
  for (const Run& run : runs) {
    copied += run.bytes;
    if (run.bytes > kPacked / 16) {
      staging.upload(image.memory.address() + run.at, host.data() + run.at, run.bytes, stream);
      continue;
    }
    packed.insert(packed.end(), host.data() + run.at, host.data() + run.at + run.bytes);
    inside.push_back(run);
    if (packed.size() > kPacked) send();
  }
  if (!inside.empty()) send();
  return copied;
}

u64 DeviceIndex::Impl::write_back() {
  const std::lock_guard no_writer(state->writing);
  index::Pool& host = *state->pool;
  if (!updater.changed()) return 0;
  if (host_has_changed()) {
    throw UserError(
        "the index has changed on the host and on a device since refresh(): one of the two changes would be "
        "lost");
  }
  if (state->storage != nullptr && !state->storage->writable()) {
    throw UserError(fmt::format("'{}' is open for reading only", host.name()));
  }
  if (host.versions().newest() != 0) {
    throw UserError("write_back() changes the index in place: close its snapshots first");
  }
  host.collect();
  try {
    const u64 copied = updater.write_back(image, host);
    moment = host.moment();
    return copied;
  } catch (const MemoryError&) {
    throw;
  } catch (...) {
    state->stuck = true;  // what is there of it must not reach the file
    throw;
  }
}

int64_t DeviceIndex::Impl::change(const index::UpdateBatch& batch) {
  if (batch.count > UINT32_MAX)
    throw UserError("a batch of changes on a device must have fewer than 2^32 keys");
  if (!updater.changed()) {
    const std::lock_guard no_writer(state->writing);
    if (host_has_changed()) {
      throw UserError("the index has changed on the host: call refresh() before changing it on a device");
    }
    if (!updater.begun()) updater.begin(*state->pool);
  }
  const u64 before = image.root.entries;
  updater.apply(image, batch);
  return static_cast<int64_t>(image.root.entries - before);
}

int64_t DeviceIndex::Impl::change_resident(index::UpdateBatch batch) {
  check_resident();
  const std::lock_guard taken(turn);
  batch.form = form_of(layout().fields()[0].type.physical());
  return change(batch);
}

int64_t DeviceIndex::Impl::change_resident(index::UpdateBatch batch, Address begins) {
  check_resident_texts();
  const std::lock_guard taken(turn);
  std::vector<u64> here(batch.count + 1);
  staging.download(here.data(), begins, here.size() * sizeof(u64), stream);
  batch.begins = here.data();
  return change(batch);
}

int64_t DeviceIndex::Impl::change(index::UpdateBatch batch, const u8* alterations, const Keys& keys,
                                  const void* values) {
  layout().check(keys);
  const std::lock_guard taken(turn);
  const size_t count = batch.count = keys.size();
  KeyLayout::Encoder encoder(layout());
  Asked asked;
  if (const u8* plain = plain_keys(layout(), keys)) {
    batch.form = form_of(layout().fields()[0].type.physical());
    asked.words = upload(plain, count * layout().word());
  } else {
    asked = upload(encoder.encode(keys, 0, count), 0, count);
  }
  batch.keys = asked.words.address();
  batch.begins = asked.host_begins.data();
  gpu::DeviceBuffer values_there, alterations_there;
  if ((batch.alteration != Alteration::erase || batch.by_value) && value_bytes() != 0) {
    values_there = upload(static_cast<const u8*>(values), count * value_bytes());
    batch.values = values_there.address();
  }
  if (alterations != nullptr) {
    alterations_there = upload(alterations, count);
    batch.alterations = alterations_there.address();
  }
  return change(batch);
}

void DeviceIndex::Impl::run(Operation operation, KeyForm form, Job job) {
  if (job.count == 0) return;
  const index::Header& header = state->pool->header();
  const index::Root& root = image.root;
  const index::TreeAt tree{image.memory.address(), root.entries, root.node};
  SearchKernel kernel{operation,
                      strategy,
                      form,
                      layout().word(),
                      header.leaf_keys,
                      header.inner_keys,
                      geometry().value_bytes,
                      root.height,
                      layout().planes(),
                      layout().text()};
  if (job.found != 0) {
    const size_t bytes = bits::words(job.count) * sizeof(u64);
    const size_t cleared = kernel.writes_all_bits() ? sizeof(u64) : bytes;
    stream.fill(job.found + bytes - cleared, 0, cleared);
  }
  gpu::DeviceBuffer trail;
  if (kernel.by_level()) {
    const u64 steps = job.count * (root.height + 1);
    trail = allocate(steps * (sizeof(index::Ref) + sizeof(u32)));
    job.nodes = trail.address();
    job.slots = job.nodes + steps * sizeof(index::Ref);
    kernel.operation = Operation::kNode;
    for (job.level = root.height + 1; job.level-- > 0;) runner->search(kernel, tree, job, stream);
    kernel.operation = operation;
  }
  runner->search(kernel, tree, job, stream);
}

DeviceIndex::Impl::Asked DeviceIndex::Impl::upload(const Probes& probes, size_t first, size_t count) {
  Asked asked;
  asked.count = count;
  if (!layout().text()) {
    const auto* words = static_cast<const u8*>(probes.words) + first * probes.stride;
    asked.words = upload(words, count * probes.stride);
    return asked;
  }
  std::vector<u64>& begins = asked.host_begins;
  begins.resize(count + 1);
  for (size_t i = 0; i < count; ++i) begins[i + 1] = begins[i] + probes.texts[first + i].size();
  Reservation held(state->budget, "index: strings for a device");
  held.resize(begins[count]);
  std::vector<char> bytes(begins[count] / 4 * 4 + 4);
  for (size_t i = 0; i < count; ++i) {
    std::copy(probes.texts[first + i].begin(), probes.texts[first + i].end(), bytes.data() + begins[i]);
  }
  asked.words = upload(bytes.data(), bytes.size());
  asked.begins = upload(begins.data(), begins.size());
  return asked;
}

/// Calls `f(asked, row)` for batch after batch that is in the device's memory; row(i) is where its i-th key
/// stands among all.
template <class F>
void DeviceIndex::Impl::for_each_batch(const Keys& keys, F f) {
  layout().check(keys);
  std::optional<SortedBatch> sorted;
  if (strategy == DeviceStrategy::sorted) sorted.emplace(layout(), keys, state->budget);
  const u8* plain = sorted ? nullptr : plain_keys(layout(), keys);
  KeyLayout::Encoder encoder(layout());
  for (size_t first = 0; first < keys.size(); first += kBatch) {
    const size_t count = std::min(kBatch, keys.size() - first);
    Asked asked;
    if (sorted) {
      asked = upload(sorted->probes(), first, count);
    } else if (plain != nullptr) {
      asked.count = count;
      asked.words = upload(plain + first * layout().word(), count * layout().word());
      asked.form = form_of(layout().fields()[0].type.physical());
    } else {
      asked = upload(encoder.encode(keys, first, count), 0, count);
    }
    f(asked, [&](size_t i) { return sorted ? sorted->row(first + i) : first + i; });
  }
}

/// Keys as nodes hold them; those that are strings are fetched from where they are.
void DeviceIndex::Impl::take_keys(const gpu::DeviceBuffer& words, u64 count, KeyCollector& collector) {
  if (!layout().text()) {
    std::vector<u8> all(count * layout().row_bytes());
    download(all.data(), words, all.size());
    return collector.take(all.data(), count);
  }
  std::vector<u64> ends(count + 1);
  const gpu::DeviceBuffer places = allocate((count + 1) * sizeof(u64));
  run(Operation::kText, KeyForm::words,
      {.count = count, .positions = places.address(), .range_keys = words.address()});
  download(ends.data() + 1, places, count);
  for (u64 i = 0; i < count; ++i) ends[i + 1] += ends[i];
  if (ends[count] != 0) staging.upload(places.address(), ends.data(), count * sizeof(u64), stream);
  const gpu::DeviceBuffer bytes = allocate(ends[count] + 1);
  run(Operation::kText, KeyForm::words,
      {.count = count,
       .values = bytes.address(),
       .offsets = places.address(),
       .range_keys = words.address()});
  Reservation held(state->budget, "index: strings of a device");
  held.resize(ends[count]);
  std::vector<char> texts(ends[count]);
  if (!texts.empty()) download(texts.data(), bytes, texts.size());
  for (u64 i = 0; i < count; ++i) collector.take({texts.data() + ends[i], ends[i + 1] - ends[i]});
}

size_t DeviceIndex::Impl::find(const Keys& keys, u8* values, u64* found) {
  if (found != nullptr) std::fill(found, found + bits::words(keys.size()), 0);
  const size_t bytes = values == nullptr ? 0 : value_bytes();
  std::vector<u64> hits;
  std::vector<u8> their_values;
  size_t all = 0;
  for_each_batch(keys, [&](const Asked& asked, auto row) {
    const u64 count = asked.count;
    hits.resize(bits::words(count));
    const gpu::DeviceBuffer found_there = allocate(hits.size() * sizeof(u64));
    const gpu::DeviceBuffer values_there = allocate(count * bytes);
    Job job = asked.job();
    job.found = found_there.address();
    job.values = bytes == 0 ? 0 : values_there.address();
    run(Operation::kFind, asked.form, job);
    download(hits.data(), found_there, hits.size());
    if (bytes != 0) {
      their_values.resize(count * bytes);
      download(their_values.data(), values_there, count * bytes);
    }
    bits::for_each(hits.data(), count, [&](size_t i) {
      ++all;
      const size_t to = row(i);
      if (found != nullptr) bits::set(found, to);
      if (bytes != 0) std::memcpy(values + to * bytes, their_values.data() + i * bytes, bytes);
    });
  });
  return all;
}

std::vector<u64> DeviceIndex::Impl::positions(const Keys& keys, bool above) {
  std::vector<u64> positions(keys.size()), some;
  for_each_batch(keys, [&](const Asked& asked, auto row) {
    const u64 count = asked.count;
    const gpu::DeviceBuffer there = allocate(count * sizeof(u64));
    Job job = asked.job();
    job.above = above;
    job.positions = there.address();
    run(Operation::kBound, asked.form, job);
    some.resize(count);
    download(some.data(), there, count);
    for (size_t i = 0; i < count; ++i) positions[row(i)] = some[i];
  });
  return positions;
}

IndexRanges DeviceIndex::Impl::at(std::span<const u64> positions) {
  const size_t bytes = value_bytes();
  IndexRanges result;
  result.cut.assign(bits::words(positions.size()), 0);
  result.offsets.assign(1, 0);
  KeyCollector collector(layout(), state->budget);
  BufferBuilder<u8> values(state->budget, "index: values at positions");
  std::vector<u64> there;
  for (size_t first = 0; first < positions.size(); first += kBatch) {
    there.clear();
    for (const u64 position : positions.subspan(first, std::min(kBatch, positions.size() - first))) {
      const bool is_one = position < image.root.entries;
      if (is_one) there.push_back(position);
      result.offsets.push_back(result.offsets.back() + is_one);
    }
    if (there.empty()) continue;
    const gpu::DeviceBuffer asked = upload(there.data(), there.size());
    const gpu::DeviceBuffer words = allocate(there.size() * layout().row_bytes()),
                            values_there = allocate(there.size() * bytes);
    run(Operation::kPick, KeyForm::words,
        {.count = there.size(),
         .values = bytes == 0 ? 0 : values_there.address(),
         .positions = asked.address(),
         .range_keys = words.address()});
    take_keys(words, there.size(), collector);
    const size_t before = values.size();
    values.resize(before + there.size() * bytes);
    if (bytes != 0) download(values.data() + before, values_there, there.size() * bytes);
  }
  result.entries.count = result.offsets.back();
  result.entries.key = collector.finish();
  result.entries.values = values.finish();
  return result;
}

/// Counts first, so that all entries have their places, then fills.
IndexRanges DeviceIndex::Impl::ranges(const Keys& lows, const Keys& highs, bool with_highs, u64 limit) {
  if (lows.size() != highs.size()) throw UserError("the numbers of lower and upper bounds differ");
  const std::vector<u64> first = positions(lows, false), behind = positions(highs, with_highs);
  IndexRanges result;
  result.cut.assign(bits::words(lows.size()), 0);
  result.offsets.assign(1, 0);
  for (size_t q = 0; q < lows.size(); ++q) {
    const u64 count = std::max(first[q], behind[q]) - first[q];
    if (count > limit) bits::set(result.cut.data(), q);
    result.offsets.push_back(result.offsets.back() + std::min(count, limit));
  }
  const std::vector<u64>& offsets = result.offsets;
  KeyCollector collector(layout(), state->budget);
  BufferBuilder<u8> values(state->budget, "index: a range of values");
  std::vector<u64> places;
  KeyLayout::Encoder encoder(layout());
  for (size_t q = 0, next = 0; q < lows.size(); q = next) {
    for (next = q + 1;
         next < lows.size() && next - q < kBatch && offsets[next + 1] - offsets[q] <= kMostEntries;)
      ++next;
    const u64 entries = offsets[next] - offsets[q];
    if (entries == 0) continue;
    places.clear();
    for (size_t i = q; i <= next; ++i) places.push_back(offsets[i] - offsets[q]);
    const size_t bytes = value_bytes();
    const Asked asked = upload(encoder.encode(lows, q, next - q), 0, next - q);
    const gpu::DeviceBuffer places_there = upload(places.data(), places.size());
    const gpu::DeviceBuffer words_there = allocate(entries * layout().row_bytes()),
                            values_there = allocate(entries * bytes);
    Job job = asked.job();
    job.values = bytes == 0 ? 0 : values_there.address();
    job.offsets = places_there.address();
    job.range_keys = words_there.address();
    run(Operation::kRange, KeyForm::words, job);
    take_keys(words_there, entries, collector);
    const size_t before = values.size();
    values.resize(before + entries * bytes);
    if (bytes != 0) download(values.data() + before, values_there, entries * bytes);
  }
  result.entries.count = offsets.back();
  result.entries.key = collector.finish();
  result.entries.values = values.finish();
  return result;
}

void DeviceIndex::Impl::check_resident() const {
  if (!layout().simple())
    throw UserError("keys in the device's memory must be numbers of 32 or 64 bits, one per key");
}

void DeviceIndex::Impl::check_resident_texts() const {
  if (!layout().text() || layout().fields().size() != 1 || layout().fields()[0].nullable) {
    throw UserError(
        "strings in the device's memory need an index whose key is one string that cannot be NULL");
  }
}

DeviceIndex::DeviceIndex(const Index& index, gpu::Device& device)
    : DeviceIndex(index, device, std::make_unique<index::GpuRunner>(device)) {}
DeviceIndex::DeviceIndex(const Index& index, gpu::Device& device, std::unique_ptr<index::Runner> runner)
    : impl_(std::make_unique<Impl>(index.state_, device, std::move(runner))) {}
DeviceIndex::DeviceIndex(DeviceIndex&&) noexcept = default;
DeviceIndex::~DeviceIndex() = default;

uint64_t DeviceIndex::refresh() {
  const std::lock_guard turn(impl_->turn);
  return impl_->refresh();
}

uint64_t DeviceIndex::write_back() {
  const std::lock_guard turn(impl_->turn);
  return impl_->write_back();
}

uint64_t DeviceIndex::size() const {
  const std::lock_guard turn(impl_->turn);
  return impl_->image.root.entries;
}

void DeviceIndex::use_strategy(std::string_view name) {
  const auto strategy = index::parse_device_strategy(name);
  if (!strategy) throw UserError(fmt::format("unknown look-up strategy '{}' on a device", name));
  const std::lock_guard turn(impl_->turn);
  impl_->strategy = *strategy;
}

void DeviceIndex::check_value(size_t bytes) const {
  if (bytes != impl_->value_bytes()) {
    throw UserError(fmt::format("values of this index have {} bytes, not {}", impl_->value_bytes(), bytes));
  }
}

size_t DeviceIndex::find(const Keys& keys, void* values, uint64_t* found) const {
  const std::lock_guard turn(impl_->turn);
  return impl_->find(keys, static_cast<u8*>(values), found);
}

std::vector<uint64_t> DeviceIndex::lower_bound(const Keys& keys) const {
  const std::lock_guard turn(impl_->turn);
  return impl_->positions(keys, false);
}

std::vector<uint64_t> DeviceIndex::upper_bound(const Keys& keys) const {
  const std::lock_guard turn(impl_->turn);
  return impl_->positions(keys, true);
}

std::vector<uint64_t> DeviceIndex::count(const Keys& keys) const {
  const std::lock_guard turn(impl_->turn);
  std::vector<uint64_t> counts = impl_->positions(keys, true);
  const std::vector<uint64_t> first = impl_->positions(keys, false);
  for (size_t i = 0; i < counts.size(); ++i) counts[i] -= first[i];
  return counts;
}

std::vector<uint64_t> DeviceIndex::count(const Keys& lows, const Keys& highs) const {
  if (lows.size() != highs.size()) throw UserError("the numbers of lower and upper bounds differ");
  const std::lock_guard turn(impl_->turn);
  std::vector<uint64_t> counts = impl_->positions(highs, false);
  const std::vector<uint64_t> first = impl_->positions(lows, false);
  for (size_t i = 0; i < counts.size(); ++i) counts[i] = std::max(counts[i], first[i]) - first[i];
  return counts;
}

IndexRanges DeviceIndex::range(const Keys& lows, const Keys& highs, uint64_t limit) const {
  const std::lock_guard turn(impl_->turn);
  return impl_->ranges(lows, highs, false, limit);
}

IndexRanges DeviceIndex::equal(const Keys& keys, uint64_t limit) const {
  const std::lock_guard turn(impl_->turn);
  return impl_->ranges(keys, keys, true, limit);
}

IndexRanges DeviceIndex::at(std::span<const uint64_t> positions) const {
  const std::lock_guard turn(impl_->turn);
  return impl_->at(positions);
}

IndexRanges DeviceIndex::successor(const Keys& keys) const {
  const std::lock_guard turn(impl_->turn);
  return impl_->at(impl_->positions(keys, true));
}

IndexRanges DeviceIndex::predecessor(const Keys& keys) const {
  const std::lock_guard turn(impl_->turn);
  std::vector<u64> positions = impl_->positions(keys, false);
  for (u64& position : positions) --position;  // Before the first one there is none: no index has 2^64.
  return impl_->at(positions);
}

void DeviceIndex::at(Address positions, uint64_t count, Address keys, Address values, Address found) const {
  impl_->check_resident();
  const std::lock_guard turn(impl_->turn);
  impl_->run(Operation::kPick, form_of(impl_->layout().fields()[0].type.physical()),
             {.count = count, .found = found, .values = values, .positions = positions, .range_keys = keys});
}

void DeviceIndex::find(Address keys, uint64_t count, Address values, Address found) const {
  impl_->check_resident();
  const std::lock_guard turn(impl_->turn);
  impl_->run(Operation::kFind, form_of(impl_->layout().fields()[0].type.physical()),
             {.count = count, .keys = keys, .found = found, .values = values});
}

void DeviceIndex::find(Texts keys, uint64_t count, Address values, Address found) const {
  impl_->check_resident_texts();
  const std::lock_guard turn(impl_->turn);
  impl_->run(Operation::kFind, KeyForm::words,
             {.count = count, .keys = keys.bytes, .texts = keys.begins, .found = found, .values = values});
}

void DeviceIndex::lower_bound(Address keys, uint64_t count, Address positions) const {
  impl_->check_resident();
  const std::lock_guard turn(impl_->turn);
  impl_->run(Operation::kBound, form_of(impl_->layout().fields()[0].type.physical()),
             {.count = count, .keys = keys, .positions = positions});
}

void DeviceIndex::range(Address lows, Address highs, uint64_t count, uint64_t limit, Address keys,
                        Address values, Address counts, Address cut) const {
  impl_->check_resident();
  if (limit > UINT32_MAX) throw UserError("a range in the device's memory must have a limit below 2^32");
  const std::lock_guard turn(impl_->turn);
  impl_->run(Operation::kRange, form_of(impl_->layout().fields()[0].type.physical()),
             {.count = count,
              .keys = lows,
              .highs = highs,
              .found = cut,
              .values = values,
              .limit = limit,
              .range_keys = keys,
              .counts = counts});
}

size_t DeviceIndex::insert(const Keys& keys, const void* values) {
  return grown(impl_->change({}, nullptr, keys, values));
}

size_t DeviceIndex::upsert(const Keys& keys, const void* values) {
  return grown(impl_->change({.alteration = Alteration::upsert}, nullptr, keys, values));
}

size_t DeviceIndex::erase(const Keys& keys) {
  return shrunk(impl_->change({.alteration = Alteration::erase}, nullptr, keys, nullptr));
}

size_t DeviceIndex::erase(const Keys& keys, const void* values) {
  return shrunk(impl_->change({.alteration = Alteration::erase, .by_value = true}, nullptr, keys, values));
}

int64_t DeviceIndex::apply(std::span<const Index::Change> changes, const Keys& keys, const void* values) {
  if (changes.size() != keys.size()) throw UserError("the numbers of keys and changes differ");
  return impl_->change({}, reinterpret_cast<const u8*>(changes.data()), keys, values);
}

size_t DeviceIndex::insert(Address keys, uint64_t count, Address values) {
  return grown(impl_->change_resident({.count = count, .keys = keys, .values = values}));
}

size_t DeviceIndex::upsert(Address keys, uint64_t count, Address values) {
  return grown(impl_->change_resident(
      {.count = count, .keys = keys, .values = values, .alteration = Alteration::upsert}));
}

size_t DeviceIndex::erase(Address keys, uint64_t count) {
  return shrunk(impl_->change_resident({.count = count, .keys = keys, .alteration = Alteration::erase}));
}

size_t DeviceIndex::erase(Address keys, uint64_t count, Address values) {
  return shrunk(impl_->change_resident(
      {.count = count, .keys = keys, .values = values, .alteration = Alteration::erase, .by_value = true}));
}

size_t DeviceIndex::insert(Texts keys, uint64_t count, Address values) {
  return grown(impl_->change_resident({.count = count, .keys = keys.bytes, .values = values}, keys.begins));
}

size_t DeviceIndex::upsert(Texts keys, uint64_t count, Address values) {
  return grown(impl_->change_resident(
      {.count = count, .keys = keys.bytes, .values = values, .alteration = Alteration::upsert}, keys.begins));
}

size_t DeviceIndex::erase(Texts keys, uint64_t count) {
  return shrunk(impl_->change_resident({.count = count, .keys = keys.bytes, .alteration = Alteration::erase},
                                       keys.begins));
}

gpu::Stream& DeviceIndex::stream() const { return impl_->stream; }

}  // namespace lanewise
