#include "study/bench/index_device.h"

#include <fmt/format.h>

#include <chrono>
#include <utility>

#include "api/device_choice.h"
#include "base/bits.h"
#include "gpu/error.h"
#include "gpu/memory.h"
#include "gpu/modules/kernels.h"
#include "gpu/staging.h"
#include "output/result_writer.h"

namespace lanewise::cli::bench {

namespace {

constexpr uint64_t kPairs = 33;  // of a range

double seconds_of(const std::function<void()>& run) {
  const auto start = std::chrono::steady_clock::now();
  run();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

template <class Key>
constexpr const char* kTypeName = sizeof(Key) == 4 ? "uint32" : "uint64";

const gpu::KernelSource kEmptyKernel{.name = "empty", .text = "extern \"C\" __global__ void empty() {}\n"};

/// Queries, and memory for their answers, on a device.
template <class Key>
class Resident {
 public:
  Resident(std::shared_ptr<DeviceIndex> index, const std::vector<Key>& queries, gpu::Device& device)
      : index_(std::move(index)), device_(device), pool_(device), staging_(device), count_(queries.size()) {
    keys_ = there(count_ * sizeof(Key));
    staging_.upload(keys_.address(), queries.data(), keys_.size(), stream());
  }

  enum class Ask { kContains, kFind, kEach, kLowerBound, kRange };

  Contender level(const std::shared_ptr<Resident>& self, Ask ask, const std::string& strategy,
                  const std::string& note = "") const {
    return {.level = "cuda " + strategy + note,
            .digest = [=] { return self->digest(ask, strategy); },
            .seconds = [=] { return self->seconds(ask, strategy); },
            .may_fail = true};
  }

 private:
  gpu::Stream& stream() { return index_->stream(); }
  gpu::DeviceBuffer there(size_t bytes) { return pool_.allocate(bytes, stream(), "benchmark"); }
  /// Memory that is allocated when it is first used.
  gpu::DeviceBuffer& room(gpu::DeviceBuffer& buffer, size_t bytes) {
    if (!buffer) buffer = there(bytes);
    return buffer;
  }
  size_t bits_bytes() const { return bits::words(count_) * sizeof(uint64_t); }

  void run(Ask ask, const std::string& strategy) {
    index_->use_strategy(strategy);
    const auto values = [&](uint64_t each) {
      return room(values_, count_ * each * sizeof(uint32_t)).address();
    };
    switch (ask) {
      case Ask::kContains:
        return index_->find(keys_.address(), count_, 0, room(found_, bits_bytes()).address());
      case Ask::kFind:
        return index_->find(keys_.address(), count_, values(1), room(found_, bits_bytes()).address());
      case Ask::kEach:
        for (uint64_t i = 0; i < count_; ++i) find_one(i, values(1));
        return;
      case Ask::kLowerBound:
        return index_->lower_bound(keys_.address(), count_,
                                   room(positions_, count_ * sizeof(uint64_t)).address());
      case Ask::kRange:
        return index_->range(keys_.address(), 0, count_, kPairs,
                             room(pairs_, count_ * kPairs * sizeof(Key)).address(),
                             room(pair_values_, count_ * kPairs * sizeof(uint32_t)).address(),
                             room(counts_, count_ * sizeof(uint32_t)).address(), 0);
    }
  }

  void find_one(uint64_t query, gpu::cuda::Address values) {
    index_->find(keys_.address() + query * sizeof(Key), 1, values + query * sizeof(uint32_t),
                 room(found_, bits_bytes()).address());
  }

  /// The sum of the launches' own times.
  double seconds_of_each(const std::string& strategy) {
    index_->use_strategy(strategy);
    const gpu::cuda::Address values = room(values_, count_ * sizeof(uint32_t)).address();
    gpu::Event start(device_, true), end(device_, true);
    double sum = 0;
    for (uint64_t i = 0; i < count_; ++i) {
      start.record(stream());
      find_one(i, values);
      end.record(stream());
      end.synchronize();
      sum += end.seconds_since(start);
    }
    return sum;
  }

  double seconds(Ask ask, const std::string& strategy) {
    if (ask == Ask::kEach) return seconds_of_each(strategy);
    gpu::Event start(device_, true), end(device_, true);
    start.record(stream());
    run(ask, strategy);
    end.record(stream());
    end.synchronize();
    return end.seconds_since(start);
  }

  uint64_t digest(Ask ask, const std::string& strategy) {
    run(ask, strategy);
    switch (ask) {
      case Ask::kContains:
        return digest_of_there<uint64_t>(found_, bits_bytes());
      case Ask::kFind:
      case Ask::kEach:
        return digest_of_there<uint32_t>(values_, values_.size());
      case Ask::kLowerBound:
        return digest_of_there<uint64_t>(positions_, positions_.size());
      case Ask::kRange:
        return digest_of_there<uint32_t>(counts_, counts_.size()) ^ digest_of_first_pairs();
    }
    return 0;
  }
  template <class T>
  uint64_t digest_of_there(const gpu::DeviceBuffer& buffer, size_t bytes) {
    std::vector<T> values(bytes / sizeof(T));
    staging_.download(values.data(), buffer.address(), bytes, stream());
    return digest_of(std::span<const T>(values));
  }
  /// Ranges that do not reach the end of the index fill all places.
  uint64_t digest_of_first_pairs() {
    const size_t some = std::min<size_t>(count_, 1 << 16);
    std::vector<uint32_t> counts(some), values(some * kPairs);
    staging_.download(counts.data(), counts_.address(), some * sizeof(uint32_t), stream());
    staging_.download(values.data(), pair_values_.address(), values.size() * sizeof(uint32_t), stream());
    uint64_t sum = 0;
    for (size_t q = 0; q < some; ++q) {
      sum = digest_of(std::span<const uint32_t>(&values[q * kPairs], counts[q])) + 3 * sum;
    }
    return sum;
  }

  std::shared_ptr<DeviceIndex> index_;
  gpu::Device& device_;
  gpu::DevicePool pool_;
  gpu::Staging staging_;
  uint64_t count_;
  gpu::DeviceBuffer keys_, found_, values_, positions_, pairs_, pair_values_, counts_;
};

}  // namespace

std::string counted(uint64_t number) { return with_commas(static_cast<int64_t>(number)); }

Work device_work_of(const char* name, std::string title, uint64_t rows) {
  Work work;
  work.group.title = std::move(title);
  work.group.rows = rows;
  work.group.about = {{"work", name}};
  return work;
}

gpu::Device* find_device(const std::string& name) {
  const DeviceChoice choice = parse_device(name);
  if (!choice.offered()) return nullptr;
  try {
    return &gpu::Driver::system().device(choice.place.gpu);
  } catch (const gpu::DeviceError&) {
    if (choice.only) throw;
    return nullptr;
  }
}

template <class Key>
void add_resident(Work& work, const std::shared_ptr<DeviceIndex>& index, const std::vector<Key>& queries,
                  const std::vector<std::string>& strategies, gpu::Device& device, const std::string& note) {
  const auto resident = std::make_shared<Resident<Key>>(index, queries, device);
  for (const std::string& strategy : strategies) {
    work.contenders.push_back(resident->level(resident, Resident<Key>::Ask::kFind, strategy, note));
  }
}

template <class Key>
void add_each(Work& work, const std::shared_ptr<DeviceIndex>& index, const std::vector<Key>& queries,
              const std::vector<std::string>& strategies, gpu::Device& device) {
  const auto resident = std::make_shared<Resident<Key>>(index, queries, device);
  for (const std::string& strategy : strategies) {
    work.contenders.push_back(resident->level(resident, Resident<Key>::Ask::kEach, strategy, ", kernel"));
  }
}

namespace {

template <class Key>
struct Transfer {
  Transfer(uint64_t count, gpu::Device& device)
      : pool(device),
        staging(device),
        stream(device),
        keys(count, Key{1}),
        values(count, 1),
        there(pool.allocate(count * std::max(sizeof(Key), sizeof(uint32_t)), stream, "benchmark")) {}

  double run() {
    stream.synchronize();
    return seconds_of([&] {
      staging.upload(there.address(), keys.data(), keys.size() * sizeof(Key), stream);
      staging.download(values.data(), there.address(), values.size() * sizeof(uint32_t), stream);
      stream.synchronize();
    });
  }

  gpu::DevicePool pool;
  gpu::Staging staging;
  gpu::Stream stream;
  std::vector<Key> keys;
  std::vector<uint32_t> values;
  gpu::DeviceBuffer there;
};

}  // namespace

template <class Key>
Work transfer_cost(uint64_t count, gpu::Device& device) {
  Work work = device_work_of("transfer", fmt::format("{} keys in, their values out", counted(count)), count);
  work.group.about["queries"] = count;
  work.group.bytes = count * (sizeof(Key) + sizeof(uint32_t));
  const auto transfer = std::make_shared<Transfer<Key>>(count, device);
  work.contenders.push_back({.level = "transfer alone",
                             .digest =
                                 [transfer] {
                                   transfer->run();
                                   return uint64_t{0};
                                 },
                             .seconds = [transfer] { return transfer->run(); }});
  return work;
}

template <class Key>
Work launch_cost(gpu::Device& device) {
  const IndexData<Key> data(1);
  const auto host = std::make_shared<Index>(data.index());
  Work work = device_work_of("launch", "a launch of the search for one key", 1);
  const auto make = [host, &device] { return std::make_shared<DeviceIndex>(*host, device); };
  const auto pool = std::make_shared<gpu::DevicePool>(device);
  const auto buffer = std::make_shared<gpu::DeviceBuffer>();
  const auto launch = [pool, buffer](const DeviceIndex& index) {
    if (!*buffer) *buffer = pool->allocate(64, index.stream(), "benchmark");
    index.find(buffer->address(), 1, buffer->address() + 16, buffer->address() + 32);
  };
  const auto level = [&](const char* name, const std::function<double()>& seconds) {
    work.contenders.push_back({.level = name, .digest = [] { return uint64_t{0}; }, .seconds = seconds});
  };
  const auto empty = [&device] {
    return std::make_shared<gpu::Module>(gpu::build(device, kEmptyKernel).module);
  };
  const auto stream = std::make_shared<gpu::Stream>(device);
  const auto launch_empty = [stream](const gpu::Module& module) {
    module.kernel("empty").launch(*stream, {.blocks = 1, .threads = 32});
  };
  level("empty kernel, first", [=] {
    const auto module = empty();
    stream->synchronize();
    return seconds_of([&] {
      launch_empty(*module);
      stream->synchronize();
    });
  });
  const auto loaded = std::make_shared<std::shared_ptr<gpu::Module>>();
  const auto later = [=](int launches) {
    if (*loaded == nullptr) *loaded = empty();
    launch_empty(**loaded);
    stream->synchronize();
    return seconds_of([&] {
             for (int i = 0; i < launches; ++i) launch_empty(**loaded);
             if (launches == 1) stream->synchronize();
           }) /
           launches;
  };
  level("empty kernel, later", [=] { return later(1); });
  level("empty kernel, later, not waited for", [=] { return later(100); });
  level("first", [=] {
    const auto index = make();
    index->stream().synchronize();
    return seconds_of([&] {
      launch(*index);
      index->stream().synchronize();
    });
  });
  const auto warm = make();
  level("later", [=] {
    launch(*warm);
    warm->stream().synchronize();
    return seconds_of([&] {
      launch(*warm);
      warm->stream().synchronize();
    });
  });
  level("later, not waited for", [=] {
    constexpr int kLaunches = 100;
    warm->stream().synchronize();
    return seconds_of([&] {
             for (int i = 0; i < kLaunches; ++i) launch(*warm);
           }) /
           kLaunches;
  });
  return work;
}

template <class Key>
Work copy_cost(uint64_t nodes, uint32_t keys, gpu::Device& device) {
  const IndexData<Key> data(nodes * keys);
  const auto host = std::make_shared<Index>(data.index(keys));
  const uint64_t image = host->stats().image_bytes;
  Work work = device_work_of("copy",
                             fmt::format("{} leaves of {} {} keys, {} bytes, to the device", counted(nodes),
                                         keys, kTypeName<Key>, counted(image)),
                             nodes);
  work.group.bytes = image;
  work.group.about.update({{"nodes", nodes}, {"node_keys", keys}});
  const auto image_size = [image] { return image; };
  work.contenders.push_back({.level = "new copy", .digest = image_size, .seconds = [host, &device] {
                               return seconds_of([&] {
                                 const DeviceIndex index(*host, device);
                                 index.stream().synchronize();
                               });
                             }});
  // Only the copy: staging and memory exist already.
  const auto pool = std::make_shared<gpu::DevicePool>(device);
  const auto staging = std::make_shared<gpu::Staging>(device);
  const auto bytes = std::make_shared<std::vector<uint8_t>>(image, 1);
  work.contenders.push_back({.level = "transfer alone", .digest = image_size, .seconds = [=, &device] {
                               gpu::Stream stream(device);
                               const gpu::DeviceBuffer buffer = pool->allocate(image, stream, "benchmark");
                               stream.synchronize();
                               return seconds_of([&] {
                                 staging->upload(buffer.address(), bytes->data(), image, stream);
                                 stream.synchronize();
                               });
                             }});
  return work;
}

namespace {

/// The works of one index and its queries on a device.
template <class Key>
class DeviceWorks {
 public:
  DeviceWorks(const IndexData<Key>& data, const IndexBenchOptions& options, gpu::Device& device,
              const std::function<void(Work)>& add)
      : data_(data),
        options_(options),
        device_(device),
        add_(add),
        count_(options.device_queries == 0 ? options.rows : options.device_queries),
        random_(data.queries(count_, options.seed)) {}

  void add_lookups() {
    const auto index = std::make_shared<DeviceIndex>(data_.index(options_.node_keys), device_);
    add_random_order(index);
    add_sorted(index);
    const std::vector<Key> lows = first_queries((count_ + 9) / 10);
    measure("33 neighbouring pairs", resident(index, lows), Ask::kRange, lows.size());
    const std::vector<Key> few = first_queries((count_ + 99) / 100);
    Work work = device_work_of("device", title("find, random order", few.size()), few.size());
    add_resident(work, index, few, {"thread", "quad", "blocks", "keys", "segments"}, device_);
    add_(std::move(work));
  }

  void add_updates() {
    IndexOptions loose = data_.options(options_.node_keys);
    loose.fill_percent = 70;
    const auto host = std::make_shared<Index>(loose);
    host->load(data_.keys, data_.values);
    const uint64_t updates = std::max<uint64_t>(options_.rows / 10, 1);
    const auto change = [host, &data = data_, next = std::make_shared<uint64_t>(0)](uint64_t many) {
      std::vector<Key> keys(many);
      for (Key& key : keys) key = data.absent((*next)++);
      host->insert(keys, std::vector<uint32_t>(many, 7));
    };
    change(updates);
    const auto index = std::make_shared<DeviceIndex>(*host, device_);
    measure(fmt::format("find, random order, after {} random inserts", counted(updates)),
            resident(index, random_), Ask::kFind, count_);
    add_refresh(index, change, std::max<uint64_t>(updates / 10'000, 1));
  }

 private:
  using Ask = typename Resident<Key>::Ask;

  void add_random_order(const std::shared_ptr<DeviceIndex>& index) {
    const auto queries = resident(index, random_);
    measure("contains, random order", queries, Ask::kContains, count_);
    measure("find, random order", queries, Ask::kFind, count_);
    measure("lower bound, random order", queries, Ask::kLowerBound, count_);
  }

  void add_sorted(const std::shared_ptr<DeviceIndex>& index) {
    const auto queries = resident(index, data_.sorted_queries(count_, options_.seed));
    measure("contains, sorted", queries, Ask::kContains, count_);
    measure("find, sorted", queries, Ask::kFind, count_);
  }

  /// `change` inserts so many keys on the host, which are then brought over.
  void add_refresh(const std::shared_ptr<DeviceIndex>& index, const std::function<void(uint64_t)>& change,
                   uint64_t count) {
    const auto refresh = [=] {
      change(count);
      return seconds_of([&] {
        index->refresh();
        index->stream().synchronize();
      });
    };
    Work work = device_work_of(
        "device", title(fmt::format("bringing over {} random inserts", counted(count)), count), count);
    work.contenders.push_back({.level = "refresh", .digest = [] { return uint64_t{0}; }, .seconds = refresh});
    add_(std::move(work));
  }

  void measure(const std::string& what, const std::shared_ptr<Resident<Key>>& queries, Ask ask,
               uint64_t count) {
    Work work = device_work_of("device", title(what, count), count);
    for (const char* strategy : {"thread", "pair", "quad", "octet"}) {
      work.contenders.push_back(queries->level(queries, ask, strategy));
    }
    add_(std::move(work));
  }

  std::string title(const std::string& what, uint64_t queries) const {
    return fmt::format("{}: {} of {} {} keys, on the device", what, counted(queries),
                       counted(data_.keys.size()), kTypeName<Key>);
  }

  std::shared_ptr<Resident<Key>> resident(const std::shared_ptr<DeviceIndex>& index,
                                          const std::vector<Key>& queries) const {
    return std::make_shared<Resident<Key>>(index, queries, device_);
  }

  std::vector<Key> first_queries(uint64_t count) const {
    return {random_.begin(), random_.begin() + static_cast<ptrdiff_t>(count)};
  }

  const IndexData<Key>& data_;
  const IndexBenchOptions& options_;
  gpu::Device& device_;
  const std::function<void(Work)>& add_;
  uint64_t count_;
  std::vector<Key> random_;
};

}  // namespace

template <class Key>
void device_works(const IndexData<Key>& data, const IndexBenchOptions& options, gpu::Device& device,
                  const std::function<void(Work)>& add) {
  DeviceWorks<Key> works(data, options, device, add);
  works.add_lookups();
  works.add_updates();
}

#define INSTANTIATE(Key)                                                                          \
  template void add_resident(Work&, const std::shared_ptr<DeviceIndex>&, const std::vector<Key>&, \
                             const std::vector<std::string>&, gpu::Device&, const std::string&);  \
  template void add_each(Work&, const std::shared_ptr<DeviceIndex>&, const std::vector<Key>&,     \
                         const std::vector<std::string>&, gpu::Device&);                          \
  template Work transfer_cost<Key>(uint64_t, gpu::Device&);                                       \
  template Work launch_cost<Key>(gpu::Device&);                                                   \
  template Work copy_cost<Key>(uint64_t, uint32_t, gpu::Device&);                                 \
  template void device_works(const IndexData<Key>&, const IndexBenchOptions&, gpu::Device&,       \
                             const std::function<void(Work)>&);
INSTANTIATE(uint32_t)
INSTANTIATE(uint64_t)
#undef INSTANTIATE

}  // namespace lanewise::cli::bench
