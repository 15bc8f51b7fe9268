#include <algorithm>
#include <cstring>
#include <optional>

#include "base/error.h"
#include "index/gpu/device_index_impl.h"

/// Searches for keys in host memory.
namespace lanewise {

using index::DeviceStrategy;
using index::Job;
using index::KeyForm;
using index::KeyLayout;
using index::Operation;
using index::Probes;
using index::SearchKernel;
using index::SortedBatch;
using index::u32;
using index::u64;
using index::u8;

namespace {

constexpr size_t kBatch = 1 << 22;     // keys in device memory at a time
constexpr u64 kMostEntries = 1 << 24;  // of ranges, unless a single one has more

}  // namespace

/// Collects the keys of ranges as columns.
class DeviceIndex::Impl::KeyCollector {
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

KeyForm DeviceIndex::Impl::key_form() const {
  switch (layout().fields()[0].type.physical()) {
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

const u8* DeviceIndex::Impl::plain_keys(const Keys& keys) const {
  const Keys::Part& part = keys.parts()[0];
  if (!layout().simple()) return nullptr;
  if (part.column == nullptr) return static_cast<const u8*>(part.values);
  if (part.column->dictionary || part.column->validity) return nullptr;
  return part.column->values.data();
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

/// Calls `f(asked, row)` for each batch in device memory; row(i) is the position of its i-th key
/// among all.
template <class F>
void DeviceIndex::Impl::for_each_batch(const Keys& keys, F f) {
  layout().check(keys);
  std::optional<SortedBatch> sorted;
  if (strategy == DeviceStrategy::sorted) sorted.emplace(layout(), keys, state->budget);
  const u8* plain = sorted ? nullptr : plain_keys(keys);
  KeyLayout::Encoder encoder(layout());
  for (size_t first = 0; first < keys.size(); first += kBatch) {
    const size_t count = std::min(kBatch, keys.size() - first);
    Asked asked;
    if (sorted) {
      asked = upload(sorted->probes(), first, count);
    } else if (plain != nullptr) {
      asked.count = count;
      asked.words = upload(plain + first * layout().word(), count * layout().word());
      asked.form = key_form();
    } else {
      asked = upload(encoder.encode(keys, first, count), 0, count);
    }
    f(asked, [&](size_t i) { return sorted ? sorted->row(first + i) : first + i; });
  }
}

/// Converts keys from the nodes' form; strings are fetched from the image.
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
  const bool in_order = strategy != DeviceStrategy::sorted;
  std::vector<u64> hits;
  Buffer their_values;
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
      if (their_values.size() < count * bytes)
        their_values = Buffer::allocate(count * bytes, nullptr, "index: values of a device");
      download(their_values.mutable_data(), values_there, count * bytes);
    }
    const auto take = [&](size_t i, size_t rows) {
      all += rows;
      if (bytes != 0) std::memcpy(values + row(i) * bytes, their_values.data() + i * bytes, rows * bytes);
    };
    for (size_t i = 0; i < count; i += 64) {
      const u64 word = hits[i / 64];
      if (in_order && word == ~u64{0}) {
        take(i, 64);
      } else {
        bits::for_each(&word, std::min<size_t>(64, count - i), [&](size_t bit) { take(i + bit, 1); });
      }
      if (found == nullptr) continue;
      if (in_order) {
        found[row(i) / 64] = word;  // batches begin at whole words
      } else {
        bits::for_each(&word, std::min<size_t>(64, count - i),
                       [&](size_t bit) { bits::set(found, row(i + bit)); });
      }
    }
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

/// Counts first, to allocate positions for all entries, then fills.
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

}  // namespace lanewise
