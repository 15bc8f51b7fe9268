#include "index/gpu/device_index.h"

#include <fmt/format.h>

#include <optional>

#include "base/error.h"
#include "index/gpu/device_index_impl.h"

namespace lanewise {

using index::Alteration;
using index::KeyForm;
using index::Operation;
using index::u64;
using index::u8;

namespace {

size_t grown(int64_t entries) { return static_cast<size_t>(entries); }
size_t shrunk(int64_t entries) { return static_cast<size_t>(-entries); }

}  // namespace

void DeviceIndex::Impl::check_resident() const {
  if (!layout().simple())
    throw UserError("keys in the device's memory must be numbers of 32 or 64 bits, one per key");
}

void DeviceIndex::Impl::check_resident_texts() const {
  if (!layout().text() || layout().fields().size() != 1 || layout().fields()[0].nullable) {
    throw UserError(
        "strings in the device's memory need an index whose key is one string that cannot be NULL");
  }
}

DeviceIndex::DeviceIndex(const Index& index, gpu::Device& device)
    : DeviceIndex(index, device, std::make_unique<index::GpuRunner>(device)) {}
DeviceIndex::DeviceIndex(const Index& index, gpu::Device& device, std::unique_ptr<index::Runner> runner)
    : impl_(std::make_unique<Impl>(index.state_, device, std::move(runner))) {}
DeviceIndex::DeviceIndex(DeviceIndex&&) noexcept = default;
DeviceIndex::~DeviceIndex() = default;

uint64_t DeviceIndex::refresh() {
  const std::lock_guard turn(impl_->turn);
  return impl_->refresh();
}

uint64_t DeviceIndex::write_back() {
  const std::lock_guard turn(impl_->turn);
  return impl_->write_back();
}

uint64_t DeviceIndex::size() const {
  const std::lock_guard turn(impl_->turn);
  return impl_->image.root.entries;
}

void DeviceIndex::use_strategy(std::string_view name) {
  const auto strategy = index::parse_device_strategy(name);
  if (!strategy) throw UserError(fmt::format("unknown look-up strategy '{}' on a device", name));
  const std::lock_guard turn(impl_->turn);
  impl_->strategy = *strategy;
}

void DeviceIndex::check_value(size_t bytes) const {
  if (bytes != impl_->value_bytes()) {
    throw UserError(fmt::format("values of this index have {} bytes, not {}", impl_->value_bytes(), bytes));
  }
}

size_t DeviceIndex::find(const Keys& keys, void* values, uint64_t* found) const {
  const std::lock_guard turn(impl_->turn);
  return impl_->find(keys, static_cast<u8*>(values), found);
}

std::vector<uint64_t> DeviceIndex::lower_bound(const Keys& keys) const {
  const std::lock_guard turn(impl_->turn);
  return impl_->positions(keys, false);
}

std::vector<uint64_t> DeviceIndex::upper_bound(const Keys& keys) const {
  const std::lock_guard turn(impl_->turn);
  return impl_->positions(keys, true);
}

std::vector<uint64_t> DeviceIndex::count(const Keys& keys) const {
  const std::lock_guard turn(impl_->turn);
  std::vector<uint64_t> counts = impl_->positions(keys, true);
  const std::vector<uint64_t> first = impl_->positions(keys, false);
  for (size_t i = 0; i < counts.size(); ++i) counts[i] -= first[i];
  return counts;
}

std::vector<uint64_t> DeviceIndex::count(const Keys& lows, const Keys& highs) const {
  if (lows.size() != highs.size()) throw UserError("the numbers of lower and upper bounds differ");
  const std::lock_guard turn(impl_->turn);
  std::vector<uint64_t> counts = impl_->positions(highs, false);
  const std::vector<uint64_t> first = impl_->positions(lows, false);
  for (size_t i = 0; i < counts.size(); ++i) counts[i] = std::max(counts[i], first[i]) - first[i];
  return counts;
}

IndexRanges DeviceIndex::range(const Keys& lows, const Keys& highs, uint64_t limit) const {
  const std::lock_guard turn(impl_->turn);
  return impl_->ranges(lows, highs, false, limit);
}

IndexRanges DeviceIndex::equal(const Keys& keys, uint64_t limit) const {
  const std::lock_guard turn(impl_->turn);
  return impl_->ranges(keys, keys, true, limit);
}

IndexRanges DeviceIndex::at(std::span<const uint64_t> positions) const {
  const std::lock_guard turn(impl_->turn);
  return impl_->at(positions);
}

IndexRanges DeviceIndex::successor(const Keys& keys) const {
  const std::lock_guard turn(impl_->turn);
  return impl_->at(impl_->positions(keys, true));
}

IndexRanges DeviceIndex::predecessor(const Keys& keys) const {
  const std::lock_guard turn(impl_->turn);
  std::vector<u64> positions = impl_->positions(keys, false);
  for (u64& position : positions) --position;  // Before the first one there is none: no index has 2^64.
  return impl_->at(positions);
}

void DeviceIndex::at(Address positions, uint64_t count, Address keys, Address values, Address found) const {
  impl_->check_resident();
  const std::lock_guard turn(impl_->turn);
  impl_->run(Operation::kPick, impl_->key_form(),
             {.count = count, .found = found, .values = values, .positions = positions, .range_keys = keys});
}

void DeviceIndex::find(Address keys, uint64_t count, Address values, Address found) const {
  impl_->check_resident();
  const std::lock_guard turn(impl_->turn);
  impl_->run(Operation::kFind, impl_->key_form(),
             {.count = count, .keys = keys, .found = found, .values = values});
}

void DeviceIndex::find(Texts keys, uint64_t count, Address values, Address found) const {
  impl_->check_resident_texts();
  const std::lock_guard turn(impl_->turn);
  impl_->run(Operation::kFind, KeyForm::words,
             {.count = count, .keys = keys.bytes, .texts = keys.begins, .found = found, .values = values});
}

void DeviceIndex::lower_bound(Address keys, uint64_t count, Address positions) const {
  impl_->check_resident();
  const std::lock_guard turn(impl_->turn);
  impl_->run(Operation::kBound, impl_->key_form(), {.count = count, .keys = keys, .positions = positions});
}

void DeviceIndex::range(Address lows, Address highs, uint64_t count, uint64_t limit, Address keys,
                        Address values, Address counts, Address cut) const {
  impl_->check_resident();
  if (limit > UINT32_MAX) throw UserError("a range in the device's memory must have a limit below 2^32");
  const std::lock_guard turn(impl_->turn);
  impl_->run(Operation::kRange, impl_->key_form(),
             {.count = count,
              .keys = lows,
              .highs = highs,
              .found = cut,
              .values = values,
              .limit = limit,
              .range_keys = keys,
              .counts = counts});
}

size_t DeviceIndex::insert(const Keys& keys, const void* values) {
  return grown(impl_->change({}, nullptr, keys, values));
}

size_t DeviceIndex::upsert(const Keys& keys, const void* values) {
  return grown(impl_->change({.alteration = Alteration::upsert}, nullptr, keys, values));
}

size_t DeviceIndex::erase(const Keys& keys) {
  return shrunk(impl_->change({.alteration = Alteration::erase}, nullptr, keys, nullptr));
}

size_t DeviceIndex::erase(const Keys& keys, const void* values) {
  return shrunk(impl_->change({.alteration = Alteration::erase, .by_value = true}, nullptr, keys, values));
}

int64_t DeviceIndex::apply(std::span<const Index::Change> changes, const Keys& keys, const void* values) {
  if (changes.size() != keys.size()) throw UserError("the numbers of keys and changes differ");
  return impl_->change({}, reinterpret_cast<const u8*>(changes.data()), keys, values);
}

size_t DeviceIndex::insert(Address keys, uint64_t count, Address values) {
  return grown(impl_->change_resident({.count = count, .keys = keys, .values = values}));
}

size_t DeviceIndex::upsert(Address keys, uint64_t count, Address values) {
  return grown(impl_->change_resident(
      {.count = count, .keys = keys, .values = values, .alteration = Alteration::upsert}));
}

size_t DeviceIndex::erase(Address keys, uint64_t count) {
  return shrunk(impl_->change_resident({.count = count, .keys = keys, .alteration = Alteration::erase}));
}

size_t DeviceIndex::erase(Address keys, uint64_t count, Address values) {
  return shrunk(impl_->change_resident(
      {.count = count, .keys = keys, .values = values, .alteration = Alteration::erase, .by_value = true}));
}

size_t DeviceIndex::insert(Texts keys, uint64_t count, Address values) {
  return grown(impl_->change_resident({.count = count, .keys = keys.bytes, .values = values}, keys.begins));
}

size_t DeviceIndex::upsert(Texts keys, uint64_t count, Address values) {
  return grown(impl_->change_resident(
      {.count = count, .keys = keys.bytes, .values = values, .alteration = Alteration::upsert}, keys.begins));
}

size_t DeviceIndex::erase(Texts keys, uint64_t count) {
  return shrunk(impl_->change_resident({.count = count, .keys = keys.bytes, .alteration = Alteration::erase},
                                       keys.begins));
}

gpu::Stream& DeviceIndex::stream() const { return impl_->stream; }

}  // namespace lanewise
