#include "index/device/updater.h"

#include <algorithm>
#include <bit>
#include <numeric>

#include "base/error.h"

namespace lanewise::index {

void DeviceImage::enlarge(u64 to_groups, u64 group_bytes, device::DevicePool& pool, device::Stream& stream) {
  if (to_groups * group_bytes <= memory.size()) return;
  device::DeviceBuffer larger;
  try {  // An image that grows goes on growing.
    larger = pool.allocate((to_groups + groups / 4) * group_bytes, stream, "an index");
  } catch (const MemoryError&) {
    larger = pool.allocate(to_groups * group_bytes, stream, "an index");
  }
  if (groups != 0) stream.copy(larger.address(), memory.address(), groups * group_bytes);
  memory = std::move(larger);
}

Updater::Updater(const Header& header, const Geometry& geometry, Runner& runner, device::DevicePool& pool,
                 device::Staging& staging, device::Stream& stream)
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

template <class T>
device::DeviceBuffer Updater::upload(const std::vector<T>& from) {
  device::DeviceBuffer buffer = room(from.size() * sizeof(T));
  if (!from.empty()) staging_.upload(buffer.address(), from.data(), from.size() * sizeof(T), stream_);
  return buffer;
}

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
  device::DeviceBuffer changed = room(after);
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

/// What one batch, or bringing changes back, needs on its way.
class Updater::Pass {
 public:
  Pass(Updater& updater, DeviceImage& image) : all_(updater), image_(image) {
    job_.group_shift = static_cast<u32>(std::countr_zero(u64{all_.geometry_.group_bytes}));
    job_.version = all_.version_;
    job_.leaves = all_.leaves_;
    job_.refs = all_.refs_.address();
    job_.findings = room(sizeof(Findings));
    set_groups();
  }

  void sort(const UpdateBatch& batch);
  void resolve(const UpdateBatch& batch);
  void plan();
  void write(const UpdateBatch& batch);
  u64 bring_back(Pool& host);

 private:
  const Geometry& geometry() const { return all_.geometry_; }
  u32 row_bytes() const { return geometry().keys.row_bytes(); }
  bool text() const { return geometry().keys.text(); }
  u64 room(u64 bytes) {
    held_.push_back(all_.room(bytes));
    return held_.back().address();
  }
  void step(Step step, u64 items, KeyForm form = KeyForm::words) {
    UpdateKernels kernels = all_.kernels_;
    kernels.form = form;
    const TreeAt tree{image_.memory.address(), image_.root.entries, image_.root.node};
    all_.runner_.step(kernels, step, tree, job_, items, all_.stream_);
  }
  void scan(Step scan, u64 items) {
    job_.sums = room((items / scan_chunk(items) + 1) * sizeof(Two));
    step(scan, items);
  }
  void set_groups() {
    const auto slots = [](const Groups& groups) {
      return Slots{groups.there.address(), groups.per_group, groups.bytes};
    };
    job_.leaf_slots = slots(all_.leaf_groups_);
    job_.inner_slots = slots(all_.inner_groups_);
    job_.order_of = all_.order_of_.address();
    job_.changed = all_.changed_.address();
  }
  void sort_words(const UpdateBatch& batch);
  void sort_by_merging(const UpdateBatch& batch);
  void stage_texts(const UpdateBatch& batch);
  void match();
  void list_free(u64 wanted);
  void collect_texts();
  TextSlots::Numbers text_groups_for(const std::vector<u64>& lengths);
  void upload_pieces(const std::vector<NewPiece>& pieces);
  size_t place_additions(const UpdateBatch& batch, const std::vector<u32>& rows);
  void own_bounds();
  FreeSlots link(SlotClass slot_class, const Groups& groups, u64 used);
  FreeSlots link_texts(const std::vector<u64>& free);
  std::vector<u64> levels_above(u64 nodes) const;

  Updater& all_;
  DeviceImage& image_;
  UpdateJob job_;
  Findings found_;
  bool resolved_ = false;
  std::vector<device::DeviceBuffer> held_;
};

void Updater::Pass::sort(const UpdateBatch& batch) {
  job_.count = batch.count;
  job_.keys = batch.keys;
  job_.alteration = batch.alteration;
  job_.alterations = batch.alterations;
  job_.unique = geometry().unique;
  if (geometry().keys.planes() == 1 && !batch.by_value) {
    sort_words(batch);
  } else {
    sort_by_merging(batch);
  }
}

void Updater::Pass::sort_words(const UpdateBatch& batch) {
  const u32 word = geometry().keys.word();
  const u64 words = batch.count * word, rows = batch.count * sizeof(u32);
  device::SortPairs pairs{{room(words), room(words)}, {room(rows), room(rows)}, batch.count, word};
  job_.words = pairs.keys[0];
  job_.rows = pairs.values[0];
  // Values of 4 bytes go along with their words instead of the rows that would tell where they are.
  const bool along = geometry().value_bytes == sizeof(u32) && batch.values != 0 && batch.alterations == 0;
  job_.values = along ? batch.values : 0;
  step(Step::kEncode, batch.count, batch.form);
  all_.runner_.sort(pairs, all_.pool_, all_.stream_);
  job_.words = pairs.keys[pairs.place];
  job_.rows = along ? 0 : pairs.values[pairs.place];
  job_.values = along ? pairs.values[pairs.place] : batch.values;
}

void Updater::Pass::sort_by_merging(const UpdateBatch& batch) {
  job_.words = room(batch.count * row_bytes());
  job_.rows = room(batch.count * sizeof(u32));
  if (text()) stage_texts(batch);
  step(Step::kEncode, batch.count, batch.form);
  job_.values = batch.values;
  job_.by_value = batch.by_value;
  u64 other = room(batch.count * sizeof(u32));
  for (u64 run = 1; run < batch.count; run *= 2) {
    job_.run = static_cast<u32>(run);
    job_.merged = other;
    step(Step::kMerge, batch.count);
    std::swap(job_.rows, other);
  }
  job_.merged = room(batch.count * row_bytes());
  step(Step::kArrange, batch.count);
  job_.words = job_.merged;
}

/// Puts the batch's texts to where they can be compared with those of the image.
void Updater::Pass::stage_texts(const UpdateBatch& batch) {
  const auto bytes_for = [](u64 bytes) { return sizeof(u32) + (bytes + 3) / 4 * 4; };
  const u64* begins = batch.begins;
  u64 bytes = 0;
  for (u64 i = 0; i < batch.count; ++i) bytes += bytes_for(begins[i + 1] - begins[i]);
  const u64 there = room(bytes);
  all_.stream_.fill(there, 0, bytes);  // Comparisons look at whole words.
  u64 at = there - image_.memory.address();
  std::vector<NewPiece> pieces(batch.count);
  for (u64 i = 0; i < batch.count; ++i) {
    const u64 length = begins[i + 1] - begins[i];
    if (length >= u64{1} << 31) throw UserError("a text of 2 GiB or more cannot be a key");
    pieces[i] = {
        at, 0, batch.keys + begins[i], job_.words + i * row_bytes() + sizeof(u64), static_cast<u32>(length),
        0};
    at += bytes_for(length);
  }
  upload_pieces(pieces);
  step(Step::kWriteTexts, pieces.size());
}

void Updater::Pass::upload_pieces(const std::vector<NewPiece>& pieces) {
  held_.push_back(all_.upload(pieces));
  job_.pieces = held_.back().address();
}

void Updater::Pass::resolve(const UpdateBatch& batch) {
  const bool mixed = batch.alterations != 0, erases = mixed || batch.alteration == Alteration::erase;
  resolved_ = mixed || batch.alteration == Alteration::upsert || (!erases && geometry().unique);
  job_.lasts = room(job_.leaves * row_bytes());
  job_.counts = room(job_.leaves * sizeof(u32));
  step(Step::kLeaves, job_.leaves);
  if (batch.by_value) return match();
  if (resolved_) {
    job_.fates = room(job_.count);
    job_.chosen = room(job_.count * sizeof(u32));
    job_.places = room(job_.count * sizeof(u64));
    job_.added_words = room(job_.count * row_bytes());
    job_.added_rows = room(job_.count * sizeof(u32));
    if (erases) job_.erased_words = room(job_.count * row_bytes());
    step(Step::kResolve, job_.count);
    scan(Step::kCompact, job_.count);
    return;
  }
  job_.added_words = job_.words;
  job_.added_rows = job_.rows;
  if (erases) job_.erased_words = job_.words;
  (erases ? found_.erased : found_.added) = job_.count;
  all_.stream_.copy_to_device(job_.findings, &found_, sizeof found_);
}

/// Erasures by key and value become those of places.
void Updater::Pass::match() {
  job_.fates = room(job_.count);
  job_.chosen = room(job_.count * sizeof(u32));
  job_.matches = room(job_.count * sizeof(u64));
  job_.erased_places = room(job_.count * sizeof(u64));
  job_.added_words = job_.words;  // none of them
  step(Step::kMatch, job_.count);
  scan(Step::kCompact, job_.count);
}

void Updater::Pass::plan() {
  const u64 leaves = job_.leaves, and_one = leaves + 1;
  job_.least = geometry().least_leaf;
  job_.per_leaf = std::max(geometry().leaf.most * all_.fill_percent_ / 100, 1u);
  job_.begins = room(and_one * sizeof(u32));
  const bool erases = job_.erased_words != 0 || job_.erased_places != 0;
  if (erases) job_.erase_begins = room(and_one * sizeof(u32));
  step(Step::kSlices, and_one);
  if (erases) {
    job_.keep_words = (geometry().leaf.most + 31) / 32;
    job_.keep = room(leaves * job_.keep_words * sizeof(u32));
    step(Step::kKeep, (leaves + kLooked - 1) / kLooked);
  }
  job_.ranks = room(and_one * sizeof(u64));
  job_.runs = room(and_one * sizeof(u32));
  scan(Step::kRuns, leaves);
  job_.first_outputs = room(and_one * sizeof(u32));
  job_.filled = room(and_one * sizeof(u32));
  scan(Step::kParts, leaves);
  all_.stream_.copy_to_host(&found_, job_.findings, sizeof found_);
  all_.stream_.synchronize();
}

/// Nodes of each level above so many.
std::vector<u64> Updater::Pass::levels_above(u64 nodes) const {
  const u64 per_node = std::max(geometry().inner.most * all_.fill_percent_ / 100, 3u);
  std::vector<u64> levels;
  while (nodes > 1) {
    nodes = (nodes + per_node - 1) / per_node;
    levels.push_back(nodes);
  }
  return levels;
}

/// So many free slots of leaves; there are as many.
void Updater::Pass::list_free(u64 wanted) {
  if (wanted == 0) return;
  const u64 slots = all_.leaf_groups_.slots();
  job_.free_wanted = wanted;
  job_.free_refs = room(wanted * sizeof(Ref));
  job_.used = room(slots);
  all_.stream_.fill(job_.used, 0, slots);
  step(Step::kMarkUsed, job_.leaves);
  scan(Step::kFreeSlot, slots);
}

/// Learns which slots of texts no entry uses.
void Updater::Pass::collect_texts() {
  std::vector<u8> used(image_.groups * geometry().group_bytes / 16);
  const device::DeviceBuffer there = all_.room(used.size());
  all_.stream_.fill(there.address(), 0, used.size());
  job_.text_used = there.address();
  step(Step::kMarkTexts, job_.leaves);
  all_.staging_.download(used.data(), there.address(), used.size(), all_.stream_);
  all_.texts_.collect(used);
}

/// The groups that are wanted for texts of these lengths.
TextSlots::Numbers Updater::Pass::text_groups_for(const std::vector<u64>& lengths) {
  const TextSlots::Numbers wanted = TextSlots::wanted(lengths);
  if (!all_.texts_.suffice(wanted)) collect_texts();
  return all_.texts_.lacking_groups(wanted);
}

/// Says where the texts of additions, which are those of these rows, go in the image. Returns how many pieces
/// they are.
size_t Updater::Pass::place_additions(const UpdateBatch& batch, const std::vector<u32>& rows) {
  std::vector<NewPiece> pieces;
  for (size_t i = 0; i < rows.size(); ++i) {
    const u64* begin = batch.begins + rows[i];
    all_.texts_.take(batch.keys + begin[0], begin[1] - begin[0],
                     job_.added_words + i * row_bytes() + sizeof(u64), pieces);
  }
  upload_pieces(pieces);
  return pieces.size();
}

/// Keys of inner nodes get texts of their own, as the host wants them.
void Updater::Pass::own_bounds() {
  collect_texts();
  const NodeShape& shape = geometry().inner;
  std::vector<u64> bytes(all_.inner_nodes_ * shape.most), begins(bytes.size()), lengths;
  job_.bound_bytes = room(bytes.size() * sizeof(u64));
  step(Step::kBoundTexts, all_.inner_nodes_);
  all_.staging_.download(bytes.data(), job_.bound_bytes, bytes.size() * sizeof(u64), all_.stream_);
  u64 total = 0;
  for (size_t i = 0; i < bytes.size(); ++i) {
    begins[i] = total;
    if (bytes[i] == kNoBound) continue;
    lengths.push_back(bytes[i]);
    total += bytes[i];
  }
  const device::DeviceBuffer begins_there = all_.upload(begins);
  job_.bounds = room(total);
  job_.bound_at = begins_there.address();
  step(Step::kBoundTexts, all_.inner_nodes_);
  all_.grow(image_, 0, 0, text_groups_for(lengths));
  set_groups();
  std::vector<NewPiece> pieces;
  for (size_t i = 0; i < bytes.size(); ++i) {
    if (bytes[i] == kNoBound) continue;
    const u64 node = image_.memory.address() + u64{all_.inner_at(i / shape.most)} * kLine;
    const u64 name = node + shape.keys_at + (shape.slots + i % shape.most) * sizeof(u64);
    all_.texts_.take(job_.bounds + begins[i], bytes[i], name, pieces);
  }
  upload_pieces(pieces);
  step(Step::kWriteTexts, pieces.size());
}

void Updater::Pass::write(const UpdateBatch& batch) {
  const std::vector<u64> levels = levels_above(found_.outputs);
  u64 inner_nodes = 0;
  for (const u64 nodes : levels) inner_nodes += nodes;
  // First all that wants memory.
  TextSlots::Numbers text_groups{};
  std::vector<u32> rows(text() ? found_.added : 0);  // of additions
  if (!rows.empty()) {
    all_.staging_.download(rows.data(), job_.added_rows, rows.size() * sizeof(u32), all_.stream_);
    std::vector<u64> lengths(rows.size());
    for (size_t i = 0; i < rows.size(); ++i) lengths[i] = batch.begins[rows[i] + 1] - batch.begins[rows[i]];
    text_groups = text_groups_for(lengths);
  }
  all_.grow(image_, job_.leaves + found_.fresh, inner_nodes, text_groups);
  set_groups();
  const size_t pieces = place_additions(batch, rows);
  device::DeviceBuffer refs = all_.room(found_.outputs * sizeof(Ref));
  job_.outputs = room(found_.outputs * sizeof(Output));
  struct Level {
    u64 nodes, refs, entries, lasts;
  };
  std::vector<Level> made;
  const auto add_level = [&](u64 nodes, u64 refs_at) {
    made.push_back({nodes, refs_at, room(nodes * sizeof(u64)), room(nodes * row_bytes())});
  };
  add_level(found_.outputs, refs.address());
  for (const u64 nodes : levels) add_level(nodes, room(nodes * sizeof(Ref)));
  list_free(found_.fresh);

  if (text()) step(Step::kWriteTexts, pieces);
  job_.nodes = found_.outputs;
  job_.node_refs = made[0].refs;
  job_.node_entries = made[0].entries;
  job_.node_lasts = made[0].lasts;
  step(Step::kOutputs, found_.outputs);
  if (resolved_) step(Step::kOverride, job_.count);
  for (const u32 in_place : {0, 1}) {
    job_.in_place = in_place;
    if (in_place != 0 || found_.fresh != 0) step(Step::kProduce, (found_.outputs + kLooked - 1) / kLooked);
  }
  job_.first_slot = 0;
  for (size_t level = 1; level < made.size(); ++level) {
    const Level &below = made[level - 1], &above = made[level];
    job_.nodes = below.nodes;
    job_.node_refs = below.refs;
    job_.node_entries = below.entries;
    job_.node_lasts = below.lasts;
    job_.parents = above.nodes;
    job_.parent_refs = above.refs;
    job_.parent_entries = above.entries;
    job_.parent_lasts = above.lasts;
    step(Step::kInner, above.nodes);
    job_.first_slot += above.nodes;
  }
  image_.root = {inner_nodes == 0 ? 0 : all_.inner_at(inner_nodes - 1), static_cast<u32>(levels.size()),
                 found_.entries};
  if (inner_nodes == 0) {
    all_.stream_.copy_to_host(&image_.root.node, refs.address(), sizeof(Ref));
    all_.stream_.synchronize();
  }
  all_.refs_ = std::move(refs);
  all_.leaves_ = found_.outputs;
  all_.inner_nodes_ = inner_nodes;
  ++all_.changes_;
}

FreeSlots Updater::Pass::link(SlotClass slot_class, const Groups& groups, u64 used) {
  const u64 free = groups.slots() - used;
  Ref first = 0;
  if (slot_class == kLeaves) {
    list_free(free);
    if (free != 0) all_.stream_.copy_to_host(&first, job_.free_refs, sizeof first);
  } else if (free != 0) {
    first = all_.inner_at(used);
  }
  job_.slot_class = slot_class;
  job_.free_wanted = free;
  job_.first_slot = used;
  step(Step::kLink, free);
  all_.stream_.synchronize();
  return {u64{first} * kLine, free, 0, 0};
}

FreeSlots Updater::Pass::link_texts(const std::vector<u64>& free) {
  if (free.empty()) return {};
  const device::DeviceBuffer there = all_.upload(free);
  job_.text_free = there.address();
  job_.free_wanted = free.size();
  step(Step::kLinkTexts, free.size());
  return {free[0], free.size(), 0, 0};
}

/// Free slots get the form in which the host keeps them: each names the next.
u64 Updater::Pass::bring_back(Pool& host) {
  // First all that wants memory of the device.
  if (text()) own_bounds();
  FreeSlots free[kSlotClasses] = {};
  free[kLeaves] = link(kLeaves, all_.leaf_groups_, all_.leaves_);
  free[kInnerNodes] = link(kInnerNodes, all_.inner_groups_, all_.inner_nodes_);
  for (u32 c = kTexts; text() && c < kSlotClasses; ++c) free[c] = link_texts(all_.texts_.free(c));
  host.extend(image_.groups);
  Header& header = host.header();
  header.root = image_.root;
  std::copy_n(free, kSlotClasses, header.free);

  const u64 bytes = geometry().group_bytes;
  std::vector<u8> changed(image_.groups);
  all_.staging_.download(changed.data(), all_.changed_.address(), changed.size(), all_.stream_);
  u64 copied = 0;
  for (u64 first = 1, behind = 1; first < changed.size(); first = behind + 1) {
    for (behind = first; behind < changed.size() && changed[behind] != 0;) host.mark_group(behind++);
    if (behind == first) continue;
    all_.staging_.download(host.group(first), image_.memory.address() + first * bytes,
                           (behind - first) * bytes, all_.stream_);
    copied += (behind - first) * bytes;
  }
  host.mark_group(0);
  all_.staging_.upload(image_.memory.address(), host.group(0), bytes, all_.stream_);
  all_.stream_.fill(all_.changed_.address(), 0, image_.groups);
  all_.changes_ = 0;
  return copied;
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
