// One core: lookups, changes and scans compared with absl::btree, std::lower_bound and a sorted array in
// Eytzinger order. LANEWISE_INDEX_KEYS sets the number of keys.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#if defined(LANEWISE_HAS_ABSL)
#include <absl/container/btree_map.h>
#endif

#include "base/testing/temporary_folder.h"
#include "index/index.h"
#include "index/kernels/strategy.h"
#include "primitives/scramble.h"

namespace lanewise {
namespace {

constexpr size_t kQueries = 1 << 20;

size_t key_count() {
  const char* given = std::getenv("LANEWISE_INDEX_KEYS");
  return given != nullptr ? std::strtoull(given, nullptr, 10) : 10'000'000;
}

/// Odd keys exist, even ones do not; a scrambled counter has no duplicates.
template <class Key>
Key key_of(uint64_t i) {
  return hash::scramble(sizeof(Key) == 4 ? static_cast<Key>(i) : static_cast<Key>(i + hash::kSplitMixStep));
}

template <class Key>
struct Data {
  std::vector<Key> sorted;
  std::vector<uint32_t> values;
  std::vector<Key> queries;

  static const Data& get() {
    static const Data data;
    return data;
  }

 private:
  Data() : sorted(key_count()), values(sorted.size()), queries(kQueries) {
    for (size_t i = 0; i < sorted.size(); ++i) sorted[i] = key_of<Key>(i);
    std::sort(sorted.begin(), sorted.end());
    for (size_t i = 0; i < sorted.size(); ++i) values[i] = static_cast<uint32_t>(i);
    std::mt19937_64 random(1);
    for (Key& key : queries) key = key_of<Key>(random() % sorted.size());
  }
};

template <class Key>
IndexOptions options() {
  IndexOptions made;
  made.key = {{sizeof(Key) == 4 ? TypeId::kUInt32 : TypeId::kUInt64}};
  made.value_bytes = 4;
  if (const char* leaf = std::getenv("LANEWISE_INDEX_LEAF"))
    made.leaf_keys = static_cast<uint32_t>(std::atoi(leaf));
  if (const char* inner = std::getenv("LANEWISE_INDEX_INNER"))
    made.inner_keys = static_cast<uint32_t>(std::atoi(inner));
  return made;
}

template <class Key>
Index& loaded() {
  static Index index = [] {
    Index made(options<Key>());
    made.load(Data<Key>::get().sorted, Data<Key>::get().values);
    return made;
  }();
  return index;
}

void count_items(benchmark::State& state, size_t items) {
  state.SetItemsProcessed(static_cast<int64_t>(items) * state.iterations());
}

template <class Key>
void find_index(benchmark::State& state, const char* strategy) {
  Index& index = loaded<Key>();
  index.use_strategy(strategy);
  const Data<Key>& data = Data<Key>::get();
  std::vector<uint32_t> values(kQueries);
  std::vector<uint64_t> found(bits::words(kQueries));
  for (auto _ : state) {
    if (index.find(data.queries, values.data(), found.data()) != kQueries) std::abort();
  }
  for (size_t i = 0; i < kQueries; ++i) {
    if (data.sorted[values[i]] != data.queries[i]) std::abort();
  }
  count_items(state, kQueries);
}

template <class Key>
void find_single(benchmark::State& state) {
  const Index& index = loaded<Key>();
  const Data<Key>& data = Data<Key>::get();
  for (auto _ : state) {
    for (size_t i = 0; i < kQueries / 16; ++i) {
      uint32_t value;
      if (index.find(std::span(&data.queries[i], 1), &value, nullptr) != 1) std::abort();
    }
  }
  count_items(state, kQueries / 16);
}

template <class Key>
void find_lower_bound(benchmark::State& state) {
  const Data<Key>& data = Data<Key>::get();
  for (auto _ : state) {
    uint64_t sum = 0;
    for (const Key key : data.queries) {
      const auto at = std::lower_bound(data.sorted.begin(), data.sorted.end(), key) - data.sorted.begin();
      sum += data.values[static_cast<size_t>(at)];
    }
    benchmark::DoNotOptimize(sum);
  }
  count_items(state, kQueries);
}

/// Khuong and Morin, "Array layouts for comparison-based searching", 2017: heap order, four levels
/// ahead prefetched.
template <class Key>
struct Eytzinger {
  std::vector<Key> keys;
  std::vector<uint32_t> values;

  Eytzinger() : keys(Data<Key>::get().sorted.size() + 1), values(keys.size()) {
    size_t next = 0;
    fill(1, next);
  }
  void fill(size_t node, size_t& next) {
    if (node >= keys.size()) return;
    fill(2 * node, next);
    keys[node] = Data<Key>::get().sorted[next];
    values[node] = Data<Key>::get().values[next++];
    fill(2 * node + 1, next);
  }
  uint32_t find(Key key) const {
    size_t node = 1;
    while (node < keys.size()) {
      __builtin_prefetch(keys.data() + node * (64 / sizeof(Key)));
      node = 2 * node + (keys[node] < key);
    }
    return values[node >> __builtin_ffsll(static_cast<long long>(~node))];
  }
};

template <class Key>
void find_eytzinger(benchmark::State& state) {
  static const Eytzinger<Key> array;
  const Data<Key>& data = Data<Key>::get();
  for (auto _ : state) {
    uint64_t sum = 0;
    for (const Key key : data.queries) sum += array.find(key);
    benchmark::DoNotOptimize(sum);
  }
  count_items(state, kQueries);
}

template <class Key>
void range_index(benchmark::State& state) {
  const Index& index = loaded<Key>();
  const Data<Key>& data = Data<Key>::get();
  constexpr size_t kRanges = kQueries / 16;
  const std::vector<Key> lows(data.queries.begin(), data.queries.begin() + kRanges);
  const std::vector<Key> highs(kRanges, static_cast<Key>(~Key{0}));
  for (auto _ : state) {
    const IndexRanges ranges = index.range(lows, highs, 33);
    benchmark::DoNotOptimize(ranges.entries.values.data());
  }
  count_items(state, kRanges);
}

/// All entries, one after the other.
template <class Key>
void scan_index(benchmark::State& state) {
  const Index& index = loaded<Key>();
  const size_t some = std::min<size_t>(index.size(), 1 << 22);
  constexpr size_t kPiece = 4096;
  for (auto _ : state) {
    uint64_t sum = 0;
    for (size_t at = 0; at < some; at += kPiece) {
      const IndexEntries entries = index.at(index.size() / 2 - some / 2 + at, kPiece);
      const Key* keys = entries.key[0]->values.template as<Key>();
      const uint32_t* values = entries.values.as<uint32_t>();
      for (size_t i = 0; i < entries.count; ++i) sum += keys[i] + values[i];
    }
    benchmark::DoNotOptimize(sum);
  }
  count_items(state, some);
}

template <class Key>
std::vector<Key> new_keys(size_t count) {
  std::vector<Key> keys(count);
  for (size_t i = 0; i < count; ++i) keys[i] = key_of<Key>(key_count() + i);
  return keys;
}

template <class Key>
void insert_index(benchmark::State& state, size_t batch) {
  const std::vector<Key> keys = new_keys<Key>(std::max<size_t>(key_count() / 10, batch));
  const std::vector<uint32_t> values(keys.size(), 7);
  IndexOptions made = options<Key>();
  made.fill_percent = 70;
  for (auto _ : state) {
    state.PauseTiming();
    Index index(made);
    index.load(Data<Key>::get().sorted, Data<Key>::get().values);
    state.ResumeTiming();
    for (size_t first = 0; first + batch <= keys.size(); first += batch) {
      index.insert(std::span(&keys[first], batch), &values[first]);
    }
  }
  count_items(state, keys.size() / batch * batch);
}

template <class Key>
void erase_index(benchmark::State& state) {
  const std::vector<Key> keys = Data<Key>::get().queries;
  for (auto _ : state) {
    state.PauseTiming();
    Index index(options<Key>());
    index.load(Data<Key>::get().sorted, Data<Key>::get().values);
    state.ResumeTiming();
    index.erase(keys);
  }
  count_items(state, keys.size());
}

template <class Key>
void load_index(benchmark::State& state, bool sorted) {
  const Data<Key>& data = Data<Key>::get();
  std::vector<Key> keys = data.sorted;
  if (!sorted) std::shuffle(keys.begin(), keys.end(), std::mt19937_64(5));
  for (auto _ : state) {
    Index index(options<Key>());
    index.load(keys, data.values);
  }
  count_items(state, keys.size());
}

template <class Key>
void open_index(benchmark::State& state) {
  const TemporaryFolder folder;
  {
    Index index(options<Key>());
    index.load(Data<Key>::get().sorted, Data<Key>::get().values);
    index.save(folder.file("index"));
  }
  const Key key = Data<Key>::get().queries[0];
  for (auto _ : state) {
    const Index index = Index::open(folder.file("index"));
    if (index.find(std::span(&key, 1), nullptr, nullptr) != 1) std::abort();
  }
  state.counters["file_bytes"] = static_cast<double>(std::filesystem::file_size(folder.file("index")));
}

#if defined(LANEWISE_HAS_ABSL)
template <class Key>
absl::btree_map<Key, uint32_t> absl_of_sorted() {
  const Data<Key>& data = Data<Key>::get();
  absl::btree_map<Key, uint32_t> tree;
  for (size_t i = 0; i < data.sorted.size(); ++i)
    tree.emplace_hint(tree.end(), data.sorted[i], data.values[i]);
  return tree;
}

template <class Key>
const absl::btree_map<Key, uint32_t>& absl_loaded() {
  static const absl::btree_map<Key, uint32_t> tree = absl_of_sorted<Key>();
  return tree;
}

template <class Key>
void find_absl(benchmark::State& state) {
  const auto& tree = absl_loaded<Key>();
  for (auto _ : state) {
    uint64_t sum = 0;
    for (const Key key : Data<Key>::get().queries) sum += tree.find(key)->second;
    benchmark::DoNotOptimize(sum);
  }
  count_items(state, kQueries);
}

template <class Key>
void range_absl(benchmark::State& state) {
  const auto& tree = absl_loaded<Key>();
  constexpr size_t kRanges = kQueries / 16;
  for (auto _ : state) {
    std::vector<Key> keys;
    std::vector<uint32_t> values;
    for (size_t i = 0; i < kRanges; ++i) {
      auto at = tree.lower_bound(Data<Key>::get().queries[i]);
      for (int k = 0; k < 33 && at != tree.end(); ++k, ++at) {
        keys.push_back(at->first);
        values.push_back(at->second);
      }
    }
    benchmark::DoNotOptimize(keys.data());
    benchmark::DoNotOptimize(values.data());
  }
  count_items(state, kRanges);
}

template <class Key>
void scan_absl(benchmark::State& state) {
  const auto& tree = absl_loaded<Key>();
  const size_t some = std::min<size_t>(tree.size(), 1 << 22);
  const Key first = Data<Key>::get().sorted[tree.size() / 2 - some / 2];
  for (auto _ : state) {
    uint64_t sum = 0;
    auto at = tree.find(first);
    for (size_t i = 0; i < some; ++i, ++at) sum += at->first + at->second;
    benchmark::DoNotOptimize(sum);
  }
  count_items(state, some);
}

template <class Key>
void insert_absl(benchmark::State& state) {
  const std::vector<Key> keys = new_keys<Key>(key_count() / 10);
  for (auto _ : state) {
    state.PauseTiming();
    absl::btree_map<Key, uint32_t> tree = absl_of_sorted<Key>();
    state.ResumeTiming();
    for (const Key key : keys) tree.emplace(key, 7);
    state.PauseTiming();
    tree.clear();
    state.ResumeTiming();
  }
  count_items(state, keys.size());
}
#endif

/// Strings of 8 to 40 bytes, a tenth as many as keys.
struct Texts {
  std::vector<std::string> held;  // in order
  std::vector<std::string_view> sorted, queries;
  std::vector<uint32_t> values;

  static const Texts& get() {
    static const Texts texts;
    return texts;
  }

 private:
  Texts() : held(std::max<size_t>(key_count() / 10, 1)), values(held.size()) {
    for (size_t i = 0; i < held.size(); ++i) {
      const uint64_t word = key_of<uint64_t>(i);
      std::string& text = held[i];
      while (text.size() < 8 + word % 33) text += std::to_string(key_of<uint64_t>(word + text.size()));
      text.resize(8 + word % 33);
    }
    std::sort(held.begin(), held.end());
    sorted.assign(held.begin(), held.end());
    for (size_t i = 0; i < held.size(); ++i) values[i] = static_cast<uint32_t>(i);
    std::mt19937_64 random(1);
    for (size_t i = 0; i < kQueries / 4; ++i) queries.push_back(sorted[random() % sorted.size()]);
  }
};

void find_text_index(benchmark::State& state) {
  const Texts& texts = Texts::get();
  IndexOptions made;
  made.key = {{TypeId::kVarchar}};
  made.value_bytes = 4;
  Index index(made);
  index.load(texts.sorted, texts.values);
  std::vector<uint32_t> values(texts.queries.size());
  for (auto _ : state) {
    if (index.find(texts.queries, values.data(), nullptr) != values.size()) std::abort();
  }
  for (size_t i = 0; i < values.size(); ++i) {
    if (texts.sorted[values[i]] != texts.queries[i]) std::abort();
  }
  count_items(state, values.size());
}

void find_text_lower_bound(benchmark::State& state) {
  const Texts& texts = Texts::get();
  for (auto _ : state) {
    uint64_t sum = 0;
    for (const std::string_view text : texts.queries) {
      const auto at = std::lower_bound(texts.sorted.begin(), texts.sorted.end(), text);
      sum += texts.values[static_cast<size_t>(at - texts.sorted.begin())];
    }
    benchmark::DoNotOptimize(sum);
  }
  count_items(state, texts.queries.size());
}

#if defined(LANEWISE_HAS_ABSL)
void find_text_absl(benchmark::State& state) {
  const Texts& texts = Texts::get();
  absl::btree_map<std::string, uint32_t, std::less<>> tree;
  for (size_t i = 0; i < texts.held.size(); ++i)
    tree.emplace_hint(tree.end(), texts.held[i], texts.values[i]);
  for (auto _ : state) {
    uint64_t sum = 0;
    for (const std::string_view text : texts.queries) sum += tree.find(text)->second;
    benchmark::DoNotOptimize(sum);
  }
  count_items(state, texts.queries.size());
}
#endif

template <class Key>
void add(const std::string& type) {
  const auto one = [&](const std::string& name, auto function) {
    benchmark::RegisterBenchmark((name + "/" + type).c_str(), function)->Unit(benchmark::kMillisecond);
  };
  for (const index::Strategy strategy : index::supported_strategies()) {
    const char* of = index::name(strategy).data();
    one("find/lanewise " + std::string(of), [of](benchmark::State& state) { find_index<Key>(state, of); });
  }
  one("find/lanewise single", find_single<Key>);
  one("find/std::lower_bound", find_lower_bound<Key>);
  one("find/Eytzinger", find_eytzinger<Key>);
  one("range of 33/lanewise", range_index<Key>);
  one("scan/lanewise", scan_index<Key>);
#if defined(LANEWISE_HAS_ABSL)
  one("find/absl::btree", find_absl<Key>);
  one("range of 33/absl::btree", range_absl<Key>);
  one("scan/absl::btree", scan_absl<Key>);
  one("insert/absl::btree", insert_absl<Key>);
#endif
  one("insert/lanewise batch",
      [](benchmark::State& state) { insert_index<Key>(state, std::max<size_t>(key_count() / 10, 1)); });
  one("insert/lanewise batches of 10,000", [](benchmark::State& state) { insert_index<Key>(state, 10'000); });
  one("insert/lanewise single", [](benchmark::State& state) { insert_index<Key>(state, 1); });
  one("erase/lanewise batch", erase_index<Key>);
  one("load/sorted", [](benchmark::State& state) { load_index<Key>(state, true); });
  one("load/shuffled", [](benchmark::State& state) { load_index<Key>(state, false); });
  one("open and find", open_index<Key>);
}

const bool kAdded = [] {
  add<uint32_t>("u32");
  add<uint64_t>("u64");
  const auto one = [](const char* name, auto function) {
    benchmark::RegisterBenchmark(name, function)->Unit(benchmark::kMillisecond);
  };
  one("find/lanewise/text", find_text_index);
  one("find/std::lower_bound/text", find_text_lower_bound);
#if defined(LANEWISE_HAS_ABSL)
  one("find/absl::btree/text", find_text_absl);
#endif
  return true;
}();

}  // namespace
}  // namespace lanewise
