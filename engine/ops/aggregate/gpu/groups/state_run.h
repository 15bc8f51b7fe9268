#pragma once

#include <vector>

#include "ops/aggregate/gpu/groups/state_layout.h"
#include "ops/gpu/branch/branch_run.h"

namespace lanewise::ops {

/// The blocks' States, into which they take batch by batch. The host merges them.
class StateRun : public SinkRun {
 public:
  /// The plan and the layout must outlive it.
  StateRun(const GroupPlan& plan, const StateLayout& layout, const DeviceSink::Setting& setting);

  void take(BranchRun& run, bool only) override;
  Downloads bring() override { return {{host_.data(), states_.address(), host_.size()}}; }
  uint64_t came() const override { return layout_.rows(host_); }
  SinkResult finish(const Schema& output) override;

 private:
  const GroupPlan& plan_;
  const StateLayout& layout_;
  const Options& options_;
  Accelerator& gpu_;
  gpu::DeviceBuffer states_;
  std::vector<uint8_t> host_;
};

}  // namespace lanewise::ops
