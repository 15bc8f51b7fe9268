#include "index/gpu/updater_pass.h"

#include <algorithm>
#include <utility>

namespace lanewise::index {

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
  gpu::SortPairs pairs{{room(words), room(words)}, {room(rows), room(rows)}, batch.count, word};
  job_.words = pairs.keys[0];
  job_.rows = pairs.values[0];
  // Values of 4 bytes go along with their words instead of the rows that would say where they are.
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

/// The nodes above the leaves, level by level.
void Updater::Pass::write_inner(const std::vector<Level>& made) {
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
}

void Updater::Pass::write(const UpdateBatch& batch) {
  const std::vector<u64> levels = levels_above(found_.outputs);
  u64 inner_nodes = 0;
  for (const u64 nodes : levels) inner_nodes += nodes;
  // First all allocations.
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
  gpu::DeviceBuffer refs = all_.room(found_.outputs * sizeof(Ref));
  job_.outputs = room(found_.outputs * sizeof(Output));
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
  write_inner(made);
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

/// Free slots get the form in which the host keeps them: each names the next.
u64 Updater::Pass::bring_back(Pool& host) {
  // First all allocations on the device.
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

}  // namespace lanewise::index
