#include <fmt/format.h>

#include <utility>

#include "gpu/memory.h"
#include "gpu/staging.h"
#include "index/gpu/runner.h"
#include "study/bench/index_device.h"

namespace lanewise::cli::bench {

namespace {

/// A copy of an index on the device, and batches for it in the device's memory.
template <class Key>
class Updated {
 public:
  Updated(const Index& index, gpu::Device& device)
      : index_(index, device), device_(device), pool_(device), staging_(device), runner_(device) {}

  struct Batch {
    gpu::DeviceBuffer keys, values;
    uint64_t count;
  };
  Batch batch(const std::vector<Key>& keys) {
    Batch made{there(keys.size() * sizeof(Key)), there(keys.size() * sizeof(uint32_t)), keys.size()};
    staging_.upload(made.keys.address(), keys.data(), made.keys.size(), stream());
    stream().fill(made.values.address(), 7, made.values.size());
    return made;
  }

  double insert(const Batch& batch) {
    return seconds([&] { index_.insert(batch.keys.address(), batch.count, batch.values.address()); });
  }
  double upsert(const Batch& batch) {
    return seconds([&] { index_.upsert(batch.keys.address(), batch.count, batch.values.address()); });
  }
  double erase(const Batch& batch) {
    return seconds([&] { index_.erase(batch.keys.address(), batch.count); });
  }
  double erase_pairs(const Batch& batch) {
    return seconds([&] { index_.erase(batch.keys.address(), batch.count, batch.values.address()); });
  }
  /// Only sorts the batch's keys and their rows.
  double sort(const Batch& batch) {
    if (batch.count > room_) {
      for (auto& words : words_) words = there(batch.count * sizeof(Key));
      for (auto& rows : rows_) rows = there(batch.count * sizeof(uint32_t));
      room_ = batch.count;
    }
    stream().copy(words_[0].address(), batch.keys.address(), batch.keys.size());
    gpu::SortPairs pairs{{words_[0].address(), words_[1].address()},
                         {rows_[0].address(), rows_[1].address()},
                         batch.count,
                         sizeof(Key)};
    return seconds([&] { runner_.sort(pairs, pool_, stream()); });
  }
  uint64_t size() const { return index_.size(); }

 private:
  gpu::Stream& stream() { return index_.stream(); }
  gpu::DeviceBuffer there(size_t bytes) { return pool_.allocate(bytes, stream(), "benchmark"); }
  double seconds(const std::function<void()>& run) {
    gpu::Event start(device_, true), end(device_, true);
    start.record(stream());
    run();
    end.record(stream());
    end.synchronize();
    return end.seconds_since(start);
  }

  DeviceIndex index_;
  gpu::Device& device_;
  gpu::DevicePool pool_;
  gpu::Staging staging_;
  index::GpuRunner runner_;
  gpu::DeviceBuffer words_[2], rows_[2];  // number of keys
  uint64_t room_ = 0;
};

template <class Key>
void add_level(Work& work, const char* name, const std::shared_ptr<Updated<Key>>& updated,
               const std::function<double()>& seconds) {
  work.contenders.push_back(
      {.level = name, .digest = [=] { return seconds(), updated->size(); }, .seconds = seconds});
}

/// `count` keys of the index, or keys that it does not have.
template <class Key>
auto batch_of(Updated<Key>& updated, const IndexData<Key>& data, uint64_t count, bool present) {
  std::vector<Key> keys(count);
  for (uint64_t i = 0; i < count; ++i) keys[i] = present ? data.present(i) : data.absent(i);
  return std::make_shared<typename Updated<Key>::Batch>(updated.batch(keys));
}

template <class Key>
Work changes(const std::shared_ptr<Updated<Key>>& updated, const IndexData<Key>& data, uint64_t count) {
  const auto absent = batch_of(*updated, data, count, false), present = batch_of(*updated, data, count, true);
  Work work = device_work_of("update",
                             fmt::format("changes, a batch of {} random keys into {}, on the device",
                                         counted(count), counted(data.keys.size())),
                             count);
  add_level(work, "sort alone", updated, [=] { return updated->sort(*absent); });
  add_level(work, "insert", updated, [=] {
    const double seconds = updated->insert(*absent);
    updated->erase(*absent);
    return seconds;
  });
  add_level(work, "erase", updated, [=] {
    updated->insert(*absent);
    return updated->erase(*absent);
  });
  add_level(work, "erase by key and value", updated, [=] {
    updated->insert(*absent);
    return updated->erase_pairs(*absent);
  });
  add_level(work, "upsert, all there", updated, [=] { return updated->upsert(*present); });
  return work;
}

/// Empties the index, and then loads all of its keys at once.
template <class Key>
Work bulk_load(const std::shared_ptr<Updated<Key>>& updated, const IndexData<Key>& data) {
  const auto all = batch_of(*updated, data, data.keys.size(), true);
  updated->erase(*all);
  Work work = device_work_of(
      "update", fmt::format("bulk load of {} random keys, on the device", counted(all->count)), all->count);
  add_level(work, "sort alone", updated, [=] { return updated->sort(*all); });
  add_level(work, "load", updated, [=] {
    const double seconds = updated->insert(*all);
    updated->erase(*all);
    return seconds;
  });
  return work;
}

}  // namespace

template <class Key>
void update_works(const IndexData<Key>& data, const IndexBenchOptions& options, gpu::Device& device,
                  const std::function<void(Work)>& add) {
  IndexOptions loose = data.options(options.node_keys);
  loose.fill_percent = 70;
  const auto updated = [&] {
    Index host(loose);
    host.load(data.keys, data.values);
    return std::make_shared<Updated<Key>>(host, device);
  }();
  const uint64_t most = std::max<uint64_t>(options.rows / 10, 1);
  for (const uint64_t count : {most, std::max<uint64_t>(most / 100, 1)}) {
    add(changes(updated, data, count));
  }
  add(bulk_load(updated, data));
}

#define INSTANTIATE(Key)                                                                    \
  template void update_works(const IndexData<Key>&, const IndexBenchOptions&, gpu::Device&, \
                             const std::function<void(Work)>&);
INSTANTIATE(uint32_t)
INSTANTIATE(uint64_t)
#undef INSTANTIATE

}  // namespace lanewise::cli::bench
