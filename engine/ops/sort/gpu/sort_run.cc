#include "ops/sort/gpu/sort_run.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "ops/run/options.h"
#include "ops/sort/gpu/sort_kernels.h"

namespace lanewise::ops {

namespace {

constexpr std::string_view kSorting = "Sort (ORDER BY)";
/// The size of a sample that says which few of the other rows can be among the first ones.
constexpr uint64_t kSample = uint64_t{1} << 16;

/// Strings are first sorted by so many times 8 bytes, then by as many times more those that
/// are still equal.
constexpr uint64_t kSteps = 8, kMoreSteps = 4;

uint64_t blocks_for(uint64_t count) { return (count + kernel::kThreads - 1) / kernel::kThreads; }

uint64_t rows_wanted(const plan::Sort& sort) {
  return sort.limit < 0 || sort.limit > INT64_MAX - sort.offset
             ? UINT64_MAX
             : static_cast<uint64_t>(sort.offset + sort.limit);
}

/// Two places for keys and values each.
struct PairBuffers {
  std::array<gpu::DeviceBuffer, 2> keys, values;

  /// The pairs of the list, which becomes one of the places.
  PairBuffers(BranchRun& run, RowList& list, unsigned most_bytes) {
    for (gpu::DeviceBuffer& buffer : keys) buffer = run.allocate(list.count * most_bytes, kSorting);
    values[1] = run.allocate(list.count * sizeof(uint32_t), kSorting);
    values[0] = std::move(list.rows);
  }
  gpu::SortPairs pairs(uint64_t count, unsigned key_bytes) const {
    return {
        {keys[0].address(), keys[1].address()}, {values[0].address(), values[1].address()}, count, key_bytes};
  }
};

/// The words by which the branch's rows are sorted.
const std::vector<SortWord>& sort_words_of(const BranchRun& run) {
  return static_cast<const SortKernels&>(run.sources().sink()).words();
}

}  // namespace

SortRun::SortRun(const plan::Sort& sort, const Schema& schema, const DeviceSink::Setting& setting)
    : sort_(sort),
      schema_(schema),
      options_(setting.options),
      gpu_(setting.gpu),
      sorter_(gpu::Sorter::system()),
      wanted_(rows_wanted(sort)),
      to_(destination(setting.goal, true)),
      sorted_{schema, {}} {}

void SortRun::write_keys(BranchRun& run, size_t word, uint64_t depth, const gpu::SortPairs& pairs) {
  if (options_.cancellation != nullptr) options_.cancellation->check();
  kernel::Job job = run.job();
  job.words[codegen::JobLayout::kRows] = pairs.count;
  job.words[codegen::JobLayout::kList] = pairs.values[pairs.place];
  job.words[codegen::JobLayout::kOut] = pairs.keys[pairs.place];
  job.words[codegen::JobLayout::kDepth] = depth;
  run.launch_rows(SortKernels::word_kernel(word), job, pairs.count);
}

void SortRun::sort(BranchRun& run, gpu::SortPairs& pairs, unsigned bits) {
  or_full([&] { run.clock().time("sort", 0, [&] { sorter_.sort(pairs, bits, gpu_.pool, gpu_.stream); }); });
}

/// Notes the bytes of the longest string of a key, and in a bitmap the places of those of more than `depth`.
void SortRun::write_sizes(BranchRun& run, size_t key, const gpu::SortPairs& pairs, uint64_t depth,
                          gpu::cuda::Address longest, gpu::cuda::Address longer) {
  kernel::Job job = run.job();
  job.words[codegen::JobLayout::kRows] = pairs.count;
  job.words[codegen::JobLayout::kList] = pairs.values[pairs.place];
  job.words[codegen::JobLayout::kOut] = longest;
  job.words[codegen::JobLayout::kActive] = longer;
  job.words[codegen::JobLayout::kDepth] = depth;
  run.launch_rows(SortKernels::size_kernel(key), job, pairs.count);
}

/// Places of rows, sorted by the first `steps` x 8 bytes of a text, that are alike in them and longer.
/// Shorter ones are in order: they were sorted by their sizes before.
RowList SortRun::places_tied(BranchRun& run, size_t word, const gpu::SortPairs& pairs, uint64_t steps) {
  const uint64_t bytes = bits::words(pairs.count) * sizeof(uint64_t);
  const gpu::DeviceBuffer alike = run.allocate(bytes, kSorting), longer = run.allocate(bytes, kSorting),
                          tied = run.allocate(bytes, kSorting), longest = run.allocate(8, kSorting);
  gpu_.stream.fill(alike.address(), 0xff, bytes);
  gpu_.stream.fill(longer.address(), 0, bytes);
  gpu_.stream.fill(longest.address(), 0, longest.size());
  write_sizes(run, *sort_words_of(run)[word].text, pairs, steps * 8, longest.address(), longer.address());
  const uint64_t blocks = std::min(most_blocks(gpu_), blocks_for(pairs.count));
  for (uint64_t step = 0; step < steps; ++step) {
    write_keys(run, word, step * 8, pairs);
    run.launch("keep_alike", blocks, pairs.keys[pairs.place], pairs.count, alike.address());
  }
  run.launch("mark_ties", blocks, alike.address(), longer.address(), bytes / sizeof(uint32_t),
             tied.address());
  return list_rows(run, gpu_, tied.address(), pairs.count);
}

/// Sorts by a text, stably: by its first `steps` x 8 bytes, the last ones first; then those that are alike in
/// them, and longer, by more. So one long text costs no step of all rows for each of its bytes.
void SortRun::sort_texts(BranchRun& run, size_t word, gpu::SortPairs& pairs, uint64_t steps) {
  const gpu::DeviceBuffer most = run.allocate(sizeof(uint32_t), kSorting);
  gpu_.stream.fill(most.address(), 0, most.size());
  write_sizes(run, *sort_words_of(run)[word].text, pairs, UINT64_MAX, most.address(), 0);
  const uint64_t all = (fetch_one<uint32_t>(gpu_, most.address()) + uint64_t{7}) / 8;
  for (uint64_t step = std::min(all, steps); step-- > 0;) {
    write_keys(run, word, step * 8, pairs);
    sort(run, pairs, sort_words_of(run)[word].bits);
  }
  if (all <= steps) return;
  const RowList places = places_tied(run, word, pairs, steps);
  if (places.count == 0) return;
  const uint64_t blocks = std::min(most_blocks(gpu_), blocks_for(places.count));
  RowList rows{run.allocate(places.count * sizeof(uint32_t), kSorting), places.count};
  gpu_.stream.copy(rows.rows.address(), places.rows.address(), places.count * sizeof(uint32_t));
  run.launch("pick_rows", blocks, pairs.values[pairs.place], rows.rows.address(), rows.count);
  const PairBuffers buffers(run, rows, pairs.key_bytes);
  gpu::SortPairs fewer = buffers.pairs(places.count, pairs.key_bytes);
  sort_texts(run, word, fewer, steps * kMoreSteps);
  run.launch("put_rows", blocks, fewer.values[fewer.place], places.rows.address(), places.count,
             pairs.values[pairs.place]);
}

/// Sorts by the last word first.
void SortRun::sort(BranchRun& run, RowList& list) {
  const std::vector<SortWord>& words = sort_words_of(run);
  unsigned most_bytes = 0;
  for (const SortWord& word : words) most_bytes = std::max(most_bytes, word.bytes());
  PairBuffers buffers(run, list, most_bytes);
  gpu::SortPairs pairs = buffers.pairs(list.count, most_bytes);
  for (size_t word = words.size(); word-- > 0;) {
    pairs.key_bytes = words[word].bytes();
    if (words[word].text) {
      sort_texts(run, word, pairs, kSteps);
      continue;
    }
    write_keys(run, word, 0, pairs);
    sort(run, pairs, words[word].bits);
  }
  list.rows = std::move(buffers.values[static_cast<size_t>(pairs.place)]);
}

/// Where few of many rows are wanted: a key that comes after them according to a sample, and only rows up to
/// it stay in the list. False: nothing was gained, or too few stayed; the list is as before.
bool SortRun::drop_behind(BranchRun& run, RowList& list) {
  const double expected = static_cast<double>(wanted_) * kSample / static_cast<double>(list.count);
  const double rank = expected + 4 * std::sqrt(expected) + 8;
  if (list.count < 16 * kSample || rank > 0.25 * kSample) return false;
  const SortWord& word = sort_words_of(run).front();

  RowList sample{run.allocate(kSample * sizeof(uint32_t), kSorting), kSample};
  run.launch("sample_rows", blocks_for(kSample), list.rows.address(), list.count, sample.rows.address(),
             kSample);
  const PairBuffers sampled(run, sample, word.bytes());
  gpu::SortPairs pairs = sampled.pairs(kSample, word.bytes());
  write_keys(run, 0, 0, pairs);
  sort(run, pairs, word.bits);
  const gpu::cuda::Address place = pairs.keys[pairs.place] + static_cast<uint64_t>(rank) * word.bytes();
  const uint64_t last =
      word.bytes() == 4 ? fetch_one<uint32_t>(gpu_, place) : fetch_one<uint64_t>(gpu_, place);

  const gpu::DeviceBuffer keys = run.allocate(list.count * word.bytes(), kSorting);
  const gpu::DeviceBuffer bitmap = run.allocate(bits::words(list.count) * sizeof(uint64_t), kSorting);
  write_keys(run, 0, 0, {{keys.address(), 0}, {list.rows.address(), 0}, list.count, word.bytes()});
  run.launch(word.bytes() == 4 ? "mark_keys_32" : "mark_keys_64",
             std::min(most_blocks(gpu_), blocks_for(list.count)), keys.address(), list.count, last,
             bitmap.address());
  RowList kept = list_rows(run, gpu_, bitmap.address(), list.count);
  if (kept.count < wanted_ || kept.count > list.count / 2) return false;
  run.launch("pick_rows", std::min(most_blocks(gpu_), blocks_for(kept.count)), list.rows.address(),
             kept.rows.address(), kept.count);
  list = std::move(kept);
  return true;
}

void SortRun::take(BranchRun& run, bool only) {
  run.narrow(true);
  RowList list = list_rows(run, gpu_, run.active(), run.rows());
  const uint64_t rows = list.count;
  const uint64_t wanted = std::min(rows, wanted_);
  Collector collector(schema_, options_, gpu_, {}, only ? to_ : Destination::kHost);
  if (wanted != 0) {
    if (wanted < rows) drop_behind(run, list);
    sort(run, list);
    const uint64_t first = only ? std::min(wanted, static_cast<uint64_t>(sort_.offset)) : 0;
    collector.take(run, run.job(), list, first, wanted);
    left_out_ = first;
  }
  came_ += rows;
  kept_ = collector.take_kept();
  std::vector<Batch> batches = collector.take();
  batches_ += batches.empty() ? 0 : 1;
  std::move(batches.begin(), batches.end(), std::back_inserter(sorted_.batches));
}

SinkResult SortRun::finish(const Schema& output) {
  const int64_t offset = sort_.offset - static_cast<int64_t>(left_out_);
  if (batches_ > 1 || offset > 0) {
    const plan::NodePtr rows = plan::values(std::make_shared<const Table>(std::move(sorted_)));
    sorted_ = run_on_cores(batches_ > 1 ? plan::sort(rows, sort_.keys, sort_.limit, offset)
                                        : plan::limit(rows, sort_.limit, offset),
                           options_);
  }
  sorted_.schema = output;
  return {std::move(sorted_), std::move(kept_)};
}

}  // namespace lanewise::ops
