#include "study/bench/index.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <memory>

#include "base/error.h"
#include "base/machine.h"
#include "index/strategy.h"
#include "output/result_writer.h"
#include "study/bench/absl_tree.h"
#include "study/bench/index_data.h"
#include "study/bench/index_device.h"

namespace lanewise::cli::bench {

namespace {

using Emit = std::function<void(const Group&)>;

/// `run` fills `answers`; all levels must give the same hash of them.
Contender host_level(std::string level, const std::shared_ptr<std::vector<uint32_t>>& answers,
                     const std::function<void()>& run, bool one_thread = true) {
  return {.level = std::move(level),
          .digest =
              [=] {
                std::fill(answers->begin(), answers->end(), 0);
                run();
                return digest_of(std::span<const uint32_t>(*answers));
              },
          .seconds =
              [=] {
                const auto start = std::chrono::steady_clock::now();
                run();
                return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
              },
          .one_thread = one_thread};
}

template <class Key>
class IndexRun {
 public:
  IndexRun(const IndexBenchOptions& options, Bench& bench, const Emit& emit, gpu::Device* device)
      : options_(options), bench_(bench), emit_(emit), device_(device) {}

  std::vector<Group> run() {
    if (wants("launch") && device_ != nullptr) add(launch_cost<Key>(*device_));
    for (const uint32_t keys : {15, 63, 127, 255, 511, 1023, 2047}) {
      if (wants("node")) node_search(keys);
    }
    if (wants("copy") && device_ != nullptr) {
      for (const uint32_t keys : {127, 511, 2047}) {
        for (const uint64_t nodes : {1'000, 10'000}) {
          if (nodes * keys <= options_.rows) add(copy_cost<Key>(nodes, keys, *device_));
        }
      }
    }
    if (wants("multi")) multi_search();
    if (wants("text") && device_ != nullptr) {
      text_works(options_, *device_, [&](Work work) { add(std::move(work)); });
    }
    const bool host = wants("find") || wants("range");
    const bool device = wants("device") && device_ != nullptr, update = wants("update") && device_ != nullptr;
    if (!host && !device && !update) return std::move(groups_);
    bench_.say("making keys");
    const IndexData<Key> data(options_.rows);
    bench_.cancellation().check();
    if (host) {
      bench_.say("loading the index");
      Index index = data.index(options_.node_keys);
      const auto tree = AbslTree<Key>::kThere ? std::make_shared<const AbslTree<Key>>(data) : nullptr;
      if (wants("find")) find(data, index, tree);
      if (wants("range")) range(data, index, tree);
    }
    if (device) {
      device_works<Key>(data, options_, *device_, [&](Work work) { add(std::move(work)); });
    }
    if (update) update_works<Key>(data, options_, *device_, [&](Work work) { add(std::move(work)); });
    return std::move(groups_);
  }

 private:
  bool wants(const std::string& work) const {
    return options_.work.empty() || std::ranges::find(options_.work, work) != options_.work.end();
  }

  void add(Work work) {
    bench_.cancellation().check();
    work.group.about["type"] = options_.type;
    groups_.push_back(bench_.measure(std::move(work.group), work.contenders));
    emit_(groups_.back());
  }

  static constexpr const char* kType = sizeof(Key) == 4 ? "uint32" : "uint64";

  Work work(const std::string& name, const std::string& title, uint64_t queries) const {
    Work made;
    made.group.title = title;
    made.group.rows = queries;
    made.group.about = {{"work", name}, {"queries", queries}};
    return made;
  }

  /// Searches by this strategy, all keys at once or one after the other.
  static std::function<void()> lookups(const std::shared_ptr<Index>& index, const std::string& strategy,
                                       const std::shared_ptr<const std::vector<Key>>& queries,
                                       const std::shared_ptr<std::vector<uint32_t>>& answers,
                                       bool single = false) {
    return [=] {
      index->use_strategy(strategy);
      if (!single) {
        index->find(*queries, answers->data(), nullptr);
        return;
      }
      for (size_t i = 0; i < queries->size(); ++i) {
        index->find(std::span<const Key>(&(*queries)[i], 1), &(*answers)[i], nullptr);
      }
    };
  }

  /// A tree of one node: binary search on the host, and search by segments and by keys on the device.
  void node_search(uint32_t keys) {
    const IndexData<Key> data(keys);
    const auto index = std::make_shared<Index>(data.index(keys));
    const auto queries =
        std::make_shared<const std::vector<Key>>(data.queries(options_.queries, options_.seed));
    const auto answers = std::make_shared<std::vector<uint32_t>>(queries->size());
    Work made = work("node", fmt::format("search of one node of {} {} keys", keys, kType), queries->size());
    made.group.about["node_keys"] = keys;
    made.contenders.push_back(host_level("cpu binary", answers, lookups(index, "binary", queries, answers)));
    const std::string fastest(index::name(index::fastest_strategy()));
    made.contenders.push_back(
        host_level("cpu " + fastest, answers, lookups(index, fastest, queries, answers)));
    if (device_ != nullptr) {
      add_resident(made, std::make_shared<DeviceIndex>(*index, *device_), *queries,
                   {"segments", "keys", "thread"}, *device_);
    }
    add(std::move(made));
  }

  /// 40,000 keys at once in a tree of nodes of 63 keys, including the copies to the device and back; and one
  /// key.
  void multi_search() {
    const IndexData<Key> data(std::min<uint64_t>(options_.rows, 10'000'000));
    const auto index = std::make_shared<Index>(data.index(63));
    for (const uint64_t count : options_.batches) {
      const auto queries = std::make_shared<const std::vector<Key>>(data.queries(count, options_.seed));
      const auto answers = std::make_shared<std::vector<uint32_t>>(count);
      Work made = work(
          "multi",
          fmt::format("{} {} key{} looked up in {}, nodes of 63", with_commas(static_cast<int64_t>(count)),
                      kType, count == 1 ? "" : "s", with_commas(static_cast<int64_t>(data.keys.size()))),
          count);
      made.group.about["keys"] = data.keys.size();
      made.contenders.push_back(
          host_level("cpu binary", answers, lookups(index, "binary", queries, answers)));
      made.contenders.push_back(host_level("cpu auto", answers, lookups(index, "auto", queries, answers)));
      if (device_ != nullptr) {
        const auto there = std::make_shared<DeviceIndex>(*index, *device_);
        for (const std::string strategy : {"tile", "blocks", "block"}) {
          made.contenders.push_back(host_level(
              "cuda " + strategy, answers,
              [=] {
                there->use_strategy(strategy);
                there->find(*queries, answers->data(), nullptr);
              },
              false));
        }
      }
      add(std::move(made));
    }
  }

  using Rival = std::shared_ptr<const AbslTree<Key>>;  // null: the name is unknown

  void find(const IndexData<Key>& data, Index& index, const Rival& tree) {
    const auto queries =
        std::make_shared<const std::vector<Key>>(data.queries(options_.queries, options_.seed));
    const auto answers = std::make_shared<std::vector<uint32_t>>(queries->size());
    const std::shared_ptr<Index> borrowed(&index, [](Index*) {});
    Work made = work("find", title_of("find", data, queries->size()), queries->size());
    made.group.about["keys"] = data.keys.size();
    for (const index::Strategy strategy : index::kStrategies) {
      const std::string name(index::name(strategy));
      if (!index::supported(strategy)) {
        made.contenders.push_back(
            {.level = name, .not_offered = "this machine does not support these instructions"});
        continue;
      }
      made.contenders.push_back(host_level(name, answers, lookups(borrowed, name, queries, answers)));
    }
    made.contenders.push_back(
        host_level("one by one", answers, lookups(borrowed, "auto", queries, answers, true)));
    made.contenders.push_back(host_level("std::lower_bound", answers, [=, &data] {
      for (size_t i = 0; i < queries->size(); ++i) {
        const auto at = std::lower_bound(data.keys.begin(), data.keys.end(), (*queries)[i]);
        (*answers)[i] = data.values[static_cast<size_t>(at - data.keys.begin())];
      }
    }));
    if (tree == nullptr) {
      made.contenders.push_back({.level = kAbsl, .not_offered = kNoRival});
    } else {
      made.contenders.push_back(host_level(kAbsl, answers, [=] {
        for (size_t i = 0; i < queries->size(); ++i) (*answers)[i] = tree->find((*queries)[i]);
      }));
    }
    const auto map = std::make_shared<std::map<Key, uint32_t>>();
    for (size_t i = 0; i < data.keys.size(); ++i) map->emplace_hint(map->end(), data.keys[i], data.values[i]);
    made.contenders.push_back(host_level("std::map", answers, [=] {
      for (size_t i = 0; i < queries->size(); ++i) (*answers)[i] = map->find((*queries)[i])->second;
    }));
    const auto heap = std::make_shared<Eytzinger<Key>>(data);
    made.contenders.push_back(host_level("Eytzinger", answers, [=] {
      for (size_t i = 0; i < queries->size(); ++i) (*answers)[i] = heap->find((*queries)[i]);
    }));
    add(std::move(made));
  }

  void range(const IndexData<Key>& data, Index& index, const Rival& tree) {
    constexpr size_t kPairs = 33;
    const std::vector<Key> lows = data.queries(std::max<uint64_t>(options_.queries / 16, 1), options_.seed);
    const std::vector<Key> highs(lows.size(), static_cast<Key>(~Key{0}));
    const auto answers = std::make_shared<std::vector<uint32_t>>(lows.size());  // the sums of their values
    Work made = work("range", title_of("33 neighbouring pairs", data, lows.size()), lows.size());
    made.contenders.push_back(host_level("lanewise", answers, [=, &index] {
      const IndexRanges ranges = index.range(lows, highs, kPairs);
      const auto* values = ranges.entries.values.as<uint32_t>();
      for (size_t q = 0; q < lows.size(); ++q) {
        (*answers)[q] = std::accumulate(values + ranges.offsets[q], values + ranges.offsets[q + 1], 0u);
      }
    }));
    made.contenders.push_back(host_level("std::lower_bound", answers, [=, &data] {
      const size_t end = data.keys.size() - (data.keys.back() == highs[0] ? 1 : 0);
      std::vector<std::pair<Key, uint32_t>> pairs;
      for (size_t q = 0; q < lows.size(); ++q) {
        const auto at = std::lower_bound(data.keys.begin(), data.keys.end(), lows[q]) - data.keys.begin();
        const size_t first = static_cast<size_t>(at), behind = std::min(first + kPairs, end);
        pairs.clear();
        for (size_t i = first; i < behind; ++i) pairs.emplace_back(data.keys[i], data.values[i]);
        uint32_t sum = 0;
        for (const auto& pair : pairs) sum += pair.second;
        (*answers)[q] = sum;
      }
    }));
    if (tree == nullptr) {
      made.contenders.push_back({.level = kAbsl, .not_offered = kNoRival});
    } else {
      made.contenders.push_back(host_level(kAbsl, answers, [=] {
        std::vector<std::pair<Key, uint32_t>> pairs;
        for (size_t q = 0; q < lows.size(); ++q) {
          pairs.clear();
          tree->range(lows[q], highs[q], kPairs,
                      [&](Key key, uint32_t value) { pairs.emplace_back(key, value); });
          uint32_t sum = 0;
          for (const auto& pair : pairs) sum += pair.second;
          (*answers)[q] = sum;
        }
      }));
    }
    add(std::move(made));
  }

  static constexpr const char* kAbsl = "absl::btree";
  static constexpr const char* kNoRival = "this program was built without it";

  static std::string title_of(const std::string& what, const IndexData<Key>& data, uint64_t queries) {
    return fmt::format("{}: {} of {} {} keys", what, with_commas(static_cast<int64_t>(queries)),
                       with_commas(static_cast<int64_t>(data.keys.size())), kType);
  }

  const IndexBenchOptions& options_;
  Bench& bench_;
  const Emit& emit_;
  gpu::Device* device_;
  std::vector<Group> groups_;
};

}  // namespace

std::vector<Group> run_index(const IndexBenchOptions& given, Bench& bench, const Emit& emit) {
  IndexBenchOptions options = given;
  if (options.rows == 0) options.rows = std::min<uint64_t>(10'000'000, machine_memory() / 100);
  gpu::Device* device = find_device(options.device);
  if (options.type == "uint64") return IndexRun<uint64_t>(options, bench, emit, device).run();
  return IndexRun<uint32_t>(options, bench, emit, device).run();
}

const std::vector<std::string>& index_work_names() {
  static const std::vector<std::string> kNames = {"launch", "node",   "copy",   "multi", "find",
                                                  "range",  "device", "update", "text"};
  return kNames;
}

}  // namespace lanewise::cli::bench
