#include "study/bench/index.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <memory>

#include "base/error.h"
#include "base/machine.h"
#include "index/kernels/strategy.h"
#include "output/result_writer.h"
#include "primitives/parallel.h"
#include "study/bench/absl_tree.h"
#include "study/bench/index_data.h"
#include "study/bench/index_device.h"
#include "study/bench/static_tree.h"

namespace lanewise::cli::bench {

namespace {

using Emit = std::function<void(const Group&)>;

/// `run` fills `answers`; all levels must give the same hash of them.
Contender host_level(std::string level, const std::shared_ptr<std::vector<uint32_t>>& answers,
                     const std::function<void()>& run, bool one_thread = true) {
  const bool on_gpu = level.starts_with("cuda");
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
          .one_thread = one_thread,
          .may_fail = on_gpu};
}

template <class Key>
class IndexRun {
 public:
  IndexRun(const IndexBenchOptions& options, Bench& bench, const Emit& emit, gpu::Device* device)
      : options_(options), bench_(bench), emit_(emit), device_(device) {}

  std::vector<Group> run() {
    if (wants("launch") && device_ != nullptr) {
      add_or_say("launch", "launches", [&] { return launch_cost<Key>(*device_); });
    }
    for (const uint32_t keys : {15, 63, 127, 255, 511, 1023, 2047}) {
      if (wants("node")) node_search(keys), node_alone(keys);
    }
    if (wants("copy") && device_ != nullptr) {
      for (const uint64_t nodes : {1, 1'000, 10'000}) {
        for (const uint32_t keys : kPublishedNodes) {
          if (nodes * keys > options_.rows && nodes > 1) continue;
          add_or_say("copy", fmt::format("{} nodes of {} keys", counted(nodes), keys),
                     [&] { return copy_cost<Key>(nodes, keys, *device_); });
        }
      }
    }
    if (wants("trees")) {
      for (const uint64_t keys : {100'000, 1'000'000}) {
        if (keys > options_.rows && keys > 100'000) continue;
        for (const uint32_t node : {63, 511, 1023}) trees(std::min(keys, options_.rows), node);
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
      const auto tree = AbslTree<Key>::kThere && data.keys.size() <= kSlow
                            ? std::make_shared<const AbslTree<Key>>(data)
                            : nullptr;
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

  /// Adds what `make` returns, or why it cannot.
  void add_or_say(const char* name, const std::string& title, const std::function<Work()>& make) {
    Work made = device_work_of(name, title, 1);
    add_if_possible(made, [&] { made = make(); });
    for (Contender& level : made.contenders) level.may_fail = true;
    add(std::move(made));
  }

  /// Adds levels on the device, or why there are none.
  static void add_if_possible(Work& work, const std::function<void()>& add_levels) {
    try {
      add_levels();
    } catch (const CancelledError&) {
      throw;
    } catch (const std::exception& error) {
      work.contenders.push_back({.level = "cuda", .not_offered = error.what()});
    }
  }

  static constexpr const char* kType = sizeof(Key) == 4 ? "uint32" : "uint64";
  static constexpr uint32_t kPublishedNodes[] = {127, 255, 1023, 2047};  // t = 64, 128, 512, 1024

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
      add_if_possible(made, [&] {
        add_resident(made, std::make_shared<DeviceIndex>(*index, *device_), *queries,
                     {"segments", "keys", "thread"}, *device_);
      });
    }
    add(std::move(made));
  }

  /// The same with a call, or a launch, for each key: as the study of 2012 measured.
  void node_alone(uint32_t keys) {
    const IndexData<Key> data(keys);
    const auto index = std::make_shared<Index>(data.index(keys));
    Work made = one_by_one("node_alone", fmt::format("search of one node of {} {} keys", keys, kType), data,
                           index, {"segments", "keys"});
    made.group.about["node_keys"] = keys;
    add(std::move(made));
  }

  /// Keys one after the other: calls of the host, launches of the device.
  Work one_by_one(const std::string& name, const std::string& title, const IndexData<Key>& data,
                  const std::shared_ptr<Index>& index, const std::vector<std::string>& strategies) {
    const uint64_t count = std::min<uint64_t>(options_.queries, kOneByOne);
    const auto queries = std::make_shared<const std::vector<Key>>(data.queries(count, options_.seed));
    const auto answers = std::make_shared<std::vector<uint32_t>>(count);
    Work made = work(name, title + ", one key at a time", count);
    made.contenders.push_back(
        host_level("cpu binary", answers, lookups(index, "binary", queries, answers, true)));
    if (device_ == nullptr) return made;
    add_if_possible(made, [&] {
      const auto there = std::make_shared<DeviceIndex>(*index, *device_);
      add_each(made, there, *queries, strategies, *device_);
      made.contenders.push_back(host_level(
          "cuda, with transfers", answers,
          [=] {
            there->use_strategy("block");
            for (size_t i = 0; i < queries->size(); ++i) {
              there->find(std::span<const Key>(&(*queries)[i], 1), &(*answers)[i], nullptr);
            }
          },
          false));
    });
    return made;
  }

  /// A tree of this size: one key at a time, and 40,000 keys at once.
  void trees(uint64_t keys, uint32_t node_keys) {
    const IndexData<Key> data(keys);
    const auto index = std::make_shared<Index>(data.index(node_keys));
    const std::string tree = fmt::format("{} {} keys in nodes of {}", counted(keys), kType, node_keys);
    const auto about = [&](Work& made) {
      made.group.about.update({{"keys", keys}, {"node_keys", node_keys}});
    };
    Work alone = one_by_one("tree_alone", tree, data, index, {"block"});
    about(alone);
    add(std::move(alone));
    const uint64_t count = std::min<uint64_t>(keys, 40'000);
    const auto queries = std::make_shared<const std::vector<Key>>(data.queries(count, options_.seed));
    const auto answers = std::make_shared<std::vector<uint32_t>>(count);
    Work many = work("tree_many", fmt::format("{} keys at once in {}", counted(count), tree), count);
    about(many);
    many.contenders.push_back(host_level("cpu binary", answers, lookups(index, "binary", queries, answers)));
    many.contenders.push_back(host_level("cpu auto", answers, lookups(index, "auto", queries, answers)));
    if (device_ != nullptr) {
      add_if_possible(many, [&] {
        const auto there = std::make_shared<DeviceIndex>(*index, *device_);
        many.contenders.push_back(host_level(
            "cuda block, with transfers", answers,
            [=] {
              there->use_strategy("block");
              there->find(*queries, answers->data(), nullptr);
            },
            false));
        add_resident(many, there, *queries, {"block"}, *device_, ", resident");
      });
    }
    add(std::move(many));
  }

  /// So many keys at once in a tree of nodes of 63 keys, including the copies to the device and back.
  void multi_search() {
    const IndexData<Key> data(std::min<uint64_t>(options_.rows, 10'000'000));
    const auto index = std::make_shared<Index>(data.index(63));
    std::shared_ptr<DeviceIndex> there;
    for (const uint64_t count : options_.batches) {
      const auto queries = std::make_shared<const std::vector<Key>>(data.queries(count, options_.seed));
      const auto answers = std::make_shared<std::vector<uint32_t>>(count);
      Work made = work(
          "multi",
          fmt::format("{} {} key{} looked up in {}, nodes of 63", with_commas(static_cast<int64_t>(count)),
                      kType, count == 1 ? "" : "s", with_commas(static_cast<int64_t>(data.keys.size()))),
          count);
      made.group.about["keys"] = data.keys.size();
      if (count <= kSlow) {
        made.contenders.push_back(
            host_level("cpu binary", answers, lookups(index, "binary", queries, answers)));
      } else {
        made.contenders.push_back({.level = "cpu binary", .not_offered = "takes longer than 10 seconds"});
      }
      made.contenders.push_back(host_level("cpu auto", answers, lookups(index, "auto", queries, answers)));
      made.contenders.push_back(all_cores(index, queries, answers));
      if (device_ != nullptr) {
        add_if_possible(made, [&] {
          if (there == nullptr) there = std::make_shared<DeviceIndex>(*index, *device_);
          // A block for each key, or one for all of them, would take minutes for many keys.
          for (const auto& [strategy, most] : {std::pair<std::string, uint64_t>{"tile", UINT64_MAX},
                                               {"blocks", kSlow},
                                               {"block", kSlow / 100}}) {
            if (count > most) {
              made.contenders.push_back(
                  {.level = "cuda " + strategy, .not_offered = "takes longer than 10 seconds"});
              continue;
            }
            made.contenders.push_back(host_level(
                "cuda " + strategy, answers,
                [=, strategy = strategy] {
                  there->use_strategy(strategy);
                  there->find(*queries, answers->data(), nullptr);
                },
                false));
          }
          add_resident(made, there, *queries, {"tile"}, *device_, ", resident");
        });
      }
      add(std::move(made));
      if (device_ != nullptr) {
        add_or_say("transfer", fmt::format("{} keys in, their values out", counted(count)),
                   [&] { return transfer_cost<Key>(count, *device_); });
      }
    }
  }

  /// The keys divided among all cores, each with a snapshot of the index.
  static Contender all_cores(const std::shared_ptr<Index>& index,
                             const std::shared_ptr<const std::vector<Key>>& queries,
                             const std::shared_ptr<std::vector<uint32_t>>& answers) {
    const int cores = machine_cores();
    const auto snapshots = std::make_shared<std::vector<IndexSnapshot>>();
    for (int i = 0; i < cores; ++i) snapshots->push_back(index->snapshot());
    const size_t share = (queries->size() + static_cast<size_t>(cores) - 1) / static_cast<size_t>(cores);
    return host_level(
        "cpu auto, all cores", answers,
        [=] {
          with_threads(cores, [&] {
            parallel_for((queries->size() + share - 1) / share, [&](size_t i) {
              const size_t first = i * share, count = std::min(share, queries->size() - first);
              (*snapshots)[i].find(std::span<const Key>(queries->data() + first, count),
                                   answers->data() + first, nullptr);
            });
          });
        },
        false);
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
      made.contenders.push_back(
          {.level = kAbsl, .not_offered = AbslTree<Key>::kThere ? kTooLarge : kNoRival});
    } else {
      made.contenders.push_back(host_level(kAbsl, answers, [=] {
        for (size_t i = 0; i < queries->size(); ++i) (*answers)[i] = tree->find((*queries)[i]);
      }));
    }
    if (data.keys.size() > kSlow) {
      made.contenders.push_back({.level = "std::map", .not_offered = kTooLarge});
    } else {
      const auto map = std::make_shared<std::map<Key, uint32_t>>();
      for (size_t i = 0; i < data.keys.size(); ++i) {
        map->emplace_hint(map->end(), data.keys[i], data.values[i]);
      }
      made.contenders.push_back(host_level("std::map", answers, [=] {
        for (size_t i = 0; i < queries->size(); ++i) (*answers)[i] = map->find((*queries)[i])->second;
      }));
    }
    const auto heap = std::make_shared<Eytzinger<Key>>(data);
    made.contenders.push_back(host_level("Eytzinger", answers, [=] {
      for (size_t i = 0; i < queries->size(); ++i) (*answers)[i] = heap->find((*queries)[i]);
    }));
    const auto fixed = std::make_shared<StaticTree<Key>>(data);
    made.contenders.push_back(
        host_level("S+ tree", answers, [=] { fixed->find(*queries, answers->data()); }));
    if (device_ != nullptr) {
      add_if_possible(made, [&] {
        const auto there = std::make_shared<DeviceIndex>(index, *device_);
        made.contenders.push_back(host_level(
            "cuda, with transfers", answers,
            [=] {
              there->use_strategy("auto");
              there->find(*queries, answers->data(), nullptr);
            },
            false));
        add_resident(made, there, *queries, {"thread"}, *device_, ", resident");
      });
    }
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
      made.contenders.push_back(
          {.level = kAbsl, .not_offered = AbslTree<Key>::kThere ? kTooLarge : kNoRival});
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
  static constexpr const char* kTooLarge = "only up to 10 million keys: it needs too much memory";
  static constexpr uint64_t kSlow = 10'000'000;  // keys
  static constexpr uint64_t kOneByOne = 1'000;   // keys

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
  static const std::vector<std::string> kNames = {"launch", "node",  "copy",   "trees",  "multi",
                                                  "find",   "range", "device", "update", "text"};
  return kNames;
}

}  // namespace lanewise::cli::bench
