#pragma once

#include <memory>
#include <mutex>
#include <span>
#include <utility>
#include <vector>

#include "gpu/memory.h"
#include "gpu/staging.h"
#include "index/gpu/device_index.h"
#include "index/gpu/runner.h"
#include "index/gpu/updater.h"
#include "index/sorted_batch.h"
#include "index/state.h"

namespace lanewise {

struct DeviceIndex::Impl {
  Impl(std::shared_ptr<index::State> of, gpu::Device& device, std::unique_ptr<index::Runner> by)
      : state(std::move(of)),
        runner(std::move(by)),
        stream(device),
        pool(device),
        staging(device.staging()),
        updater(state->pool->header(), geometry(), *runner, pool, staging, stream) {
    refresh();
  }

  const index::Geometry& geometry() const { return state->pool->geometry(); }
  const index::KeyLayout& layout() const { return geometry().keys; }
  /// The form of keys that are one number.
  index::KeyForm key_form() const;
  /// The batch's keys as the kernels take them, if they need no conversion; else null.
  const index::u8* plain_keys(const Keys& keys) const;
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

  index::u64 refresh();
  /// Copies the host's pages that have changed since `moment`; returns the number of bytes.
  index::u64 copy_changed_pages(const index::Pool& host);
  index::u64 write_back();
  bool host_has_changed() const;
  /// Return by how many entries the index has grown.
  int64_t change(const index::UpdateBatch& batch);
  int64_t change(index::UpdateBatch batch, const index::u8* alterations, const Keys& keys,
                 const void* values);
  int64_t change_resident(index::UpdateBatch batch);
  int64_t change_resident(index::UpdateBatch batch, Address begins);
  /// Keys in device memory.
  struct Asked {
    index::u64 count = 0;
    gpu::DeviceBuffer words, begins;      // strings: their bytes, and the start of each
    std::vector<index::u64> host_begins;  // likewise
    index::KeyForm form = index::KeyForm::words;

    index::Job job() const { return {.count = count, .keys = words.address(), .texts = begins.address()}; }
  };
  Asked upload(const index::Probes& probes, size_t first, size_t count);
  class KeyCollector;
  void take_keys(const gpu::DeviceBuffer& words, index::u64 count, KeyCollector& collector);
  void run(index::Operation operation, index::KeyForm form, index::Job job);
  void check_resident() const;
  void check_resident_texts() const;
  size_t find(const Keys& keys, index::u8* values, index::u64* found);
  std::vector<index::u64> positions(const Keys& keys, bool above);
  IndexRanges at(std::span<const index::u64> positions);
  IndexRanges ranges(const Keys& lows, const Keys& highs, bool with_highs, index::u64 limit);
  template <class F>
  void for_each_batch(const Keys& keys, F f);

  const std::shared_ptr<index::State> state;
  const std::unique_ptr<index::Runner> runner;
  std::mutex turn;
  index::DeviceStrategy strategy = index::DeviceStrategy::tile;
  gpu::Stream stream;
  gpu::DevicePool pool;
  gpu::Staging& staging;
  index::DeviceImage image;
  index::u64 moment = 0;  // time of the copy
  index::Updater updater;
};

}  // namespace lanewise
