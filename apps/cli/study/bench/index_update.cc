#include <fmt/format.h>

#include <utility>

#include "gpu/memory.h"
#include "gpu/staging.h"
#include "index/gpu/runner.h"
#include "output/result_writer.h"
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
  using Batch = typename Updated<Key>::Batch;
  const auto batch_of = [&](uint64_t count, bool there) {
    std::vector<Key> keys(count);
    for (uint64_t i = 0; i < count; ++i) keys[i] = there ? data.present(i) : data.absent(i);
    return std::make_shared<Batch>(updated->batch(keys));
  };
  const auto counted = [](uint64_t number) { return with_commas(static_cast<int64_t>(number)); };
  const auto level = [&](Work& work, const char* name, const std::function<double()>& seconds) {
    work.contenders.push_back(
        {.level = name, .digest = [=] { return seconds(), updated->size(); }, .seconds = seconds});
  };
  const auto work_of = [&](const std::string& title, uint64_t rows) {
    Work work;
    work.group.title = title;
    work.group.rows = rows;
    work.group.about = {{"work", "update"}};
    return work;
  };
  const uint64_t most = std::max<uint64_t>(options.rows / 10, 1);
  for (const uint64_t count : {most, std::max<uint64_t>(most / 100, 1)}) {
    const auto batch = batch_of(count, false), present = batch_of(count, true);
    Work work = work_of(fmt::format("changes, a batch of {} random keys into {}, on the device",
                                    counted(count), counted(data.keys.size())),
                        count);
    level(work, "sort alone", [=] { return updated->sort(*batch); });
    level(work, "insert", [=] {
      const double seconds = updated->insert(*batch);
      updated->erase(*batch);
      return seconds;
    });
    level(work, "erase", [=] {
      updated->insert(*batch);
      return updated->erase(*batch);
    });
    level(work, "erase by key and value", [=] {
      updated->insert(*batch);
      return updated->erase_pairs(*batch);
    });
    level(work, "upsert, all there", [=] { return updated->upsert(*present); });
    add(std::move(work));
  }
  const auto all = batch_of(data.keys.size(), true);
  updated->erase(*all);
  Work work =
      work_of(fmt::format("bulk load of {} random keys, on the device", counted(all->count)), all->count);
  level(work, "sort alone", [=] { return updated->sort(*all); });
  level(work, "load", [=] {
    const double seconds = updated->insert(*all);
    updated->erase(*all);
    return seconds;
  });
  add(std::move(work));
}

#define INSTANTIATE(Key)                                                                    \
  template void update_works(const IndexData<Key>&, const IndexBenchOptions&, gpu::Device&, \
                             const std::function<void(Work)>&);
INSTANTIATE(uint32_t)
INSTANTIATE(uint64_t)
#undef INSTANTIATE

}  // namespace lanewise::cli::bench
