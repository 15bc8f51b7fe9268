#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "index/gpu/device_index_impl.h"

/// Synchronises the copies of an index on the host and on a device, and changes the one on
/// the device.
namespace lanewise {

using index::Alteration;
using index::KeyLayout;
using index::u64;
using index::u8;

namespace {

constexpr u64 kPacked = 16 << 20;  // bytes of scattered pages that are copied together

}  // namespace

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
  std::vector<u8> packed;  // short runs are copied together; the device unpacks them
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
    state->stuck = true;  // the incomplete copy must not reach the file
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
  batch.form = key_form();
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
  if (const u8* plain = plain_keys(keys)) {
    batch.form = key_form();
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

}  // namespace lanewise
