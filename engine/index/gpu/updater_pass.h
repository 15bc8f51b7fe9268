#pragma once

#include <bit>
#include <vector>

#include "index/gpu/updater.h"

namespace lanewise::index {

/// The state of one batch, or of one write_back().
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
  struct Level {
    u64 nodes, refs, entries, lasts;
  };
  void write_inner(const std::vector<Level>& made);
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
  std::vector<gpu::DeviceBuffer> held_;
};

}  // namespace lanewise::index
