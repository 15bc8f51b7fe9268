#include "index/gpu/updater.h"

#include <bit>
#include <numeric>

#include "base/error.h"
#include "index/gpu/updater_pass.h"

namespace lanewise::index {

void DeviceImage::enlarge(u64 to_groups, u64 group_bytes, gpu::DevicePool& pool, gpu::Stream& stream) {
  if (to_groups * group_bytes <= memory.size()) return;
  gpu::DeviceBuffer larger;
  try {  // An image that grows goes on growing.
    larger = pool.allocate((to_groups + groups / 4) * group_bytes, stream, "an index");
  } catch (const MemoryError&) {
    larger = pool.allocate(to_groups * group_bytes, stream, "an index");
  }
  if (groups != 0) stream.copy(larger.address(), memory.address(), groups * group_bytes);
  memory = std::move(larger);
}

Updater::Updater(const Header& header, const Geometry& geometry, Runner& runner, gpu::DevicePool& pool,
                 gpu::Staging& staging, gpu::Stream& stream)
    : geometry_(geometry),
      kernels_{KeyForm::words,       geometry.keys.word(),   header.leaf_keys,    header.inner_keys,
               geometry.value_bytes, geometry.keys.planes(), geometry.keys.text()},
      fill_percent_(header.fill_percent),
      runner_(runner),
      pool_(pool),
      staging_(staging),
      stream_(stream),
      leaf_groups_{{}, geometry.slots_of(kLeaves), geometry.leaf.bytes, {}},
      inner_groups_{{}, geometry.slots_of(kInnerNodes), geometry.inner.bytes, {}},
      texts_(geometry) {}

void Updater::begin(const Pool& host) {
  version_ = host.header().version;
  leaf_groups_.numbers.clear();
  inner_groups_.numbers.clear();
  for (u64 number = 1; number < host.groups(); ++number) {
    const u32 slot_class = host.trailer(number).slot_class;
    if (slot_class == kLeaves) leaf_groups_.numbers.push_back(static_cast<u32>(number));
    if (slot_class == kInnerNodes) inner_groups_.numbers.push_back(static_cast<u32>(number));
  }
  texts_.begin(host);
  const Root& root = host.header().root;
  std::vector<Ref> level{root.node}, below;
  for (u32 height = root.height; height > 0; --height, std::swap(level, below)) {
    below.clear();
    for (const Ref ref : level) {
      const Node<u64> node(host.data() + u64{ref} * kLine, geometry_.inner);
      below.insert(below.end(), node.children(), node.children() + node.count());
    }
  }
  refs_ = upload(level);
  changed_ = room(host.groups());
  stream_.fill(changed_.address(), 0, host.groups());
  DeviceImage image;
  image.groups = host.groups();
  upload_groups(image);
  changes_ = 0;
  leaves_ = level.size();
}

void Updater::forget() {
  leaves_ = 0;
  refs_.reset();
}

void Updater::upload_groups(const DeviceImage& image) {
  std::vector<u32> order(image.groups);
  for (Groups* groups : {&leaf_groups_, &inner_groups_}) {
    for (size_t i = 0; i < groups->numbers.size(); ++i) order[groups->numbers[i]] = static_cast<u32>(i);
    groups->there = upload(groups->numbers);
  }
  order_of_ = upload(order);
}

Ref Updater::inner_at(u64 number) const {
  const u64 group = inner_groups_.numbers[number / inner_groups_.per_group];
  const u64 within = number % inner_groups_.per_group * inner_groups_.bytes;
  return static_cast<Ref>((group * geometry_.group_bytes + within) / kLine);
}

void Updater::grow(DeviceImage& image, u64 leaves, u64 inner_nodes, const TextSlots::Numbers& text_groups) {
  const auto lacking = [](const Groups& groups, u64 slots) {
    return slots <= groups.slots() ? 0 : (slots - groups.slots() + groups.per_group - 1) / groups.per_group;
  };
  TextSlots::Numbers more = text_groups;
  more[kLeaves] = lacking(leaf_groups_, leaves);
  more[kInnerNodes] = lacking(inner_groups_, inner_nodes);
  const u64 before = image.groups, after = std::accumulate(more.begin(), more.end(), before);
  if (after == before) return;
  const u64 bytes = geometry_.group_bytes;
  if (after * bytes / kLine > UINT32_MAX)
    throw MemoryError("an index: no more than 2^32 lines of 64 bytes can be named");
  gpu::DeviceBuffer changed = room(after);
  image.enlarge(after, bytes, pool_, stream_);
  stream_.copy(changed.address(), changed_.address(), before);
  stream_.fill(changed.address() + before, 0, after - before);
  changed_ = std::move(changed);
  stream_.fill(image.memory.address() + before * bytes, 0, (after - before) * bytes);
  u64 number = before;
  for (u32 c = 0; c < kSlotClasses; ++c) {
    if (c >= kTexts) texts_.add_groups(c, number, more[c]);
    for (u64 i = 0; c < kTexts && i < more[c]; ++i) {
      (c == kLeaves ? leaf_groups_ : inner_groups_).numbers.push_back(static_cast<u32>(number + i));
    }
    number += more[c];
  }
  image.groups = after;
  upload_groups(image);
  UpdateJob job;
  job.group_shift = static_cast<u32>(std::countr_zero(bytes));
  job.changed = changed_.address();
  const TreeAt tree{image.memory.address(), image.root.entries, image.root.node};
  job.first_slot = before;
  for (u32 c = 0; c < kSlotClasses; ++c) {
    job.slot_class = c;
    runner_.step(kernels_, Step::kNewGroups, tree, job, more[c], stream_);
    job.first_slot += more[c];
  }
}

void Updater::apply(DeviceImage& image, const UpdateBatch& batch) {
  invariant(begun(), "changing a copy whose leaves are known");
  if (batch.count == 0) return;
  Pass pass(*this, image);
  pass.sort(batch);
  pass.resolve(batch);
  pass.plan();
  pass.write(batch);
}

u64 Updater::write_back(DeviceImage& image, Pool& host) {
  return changed() ? Pass(*this, image).bring_back(host) : 0;
}

}  // namespace lanewise::index
