#pragma once

#include <string>
#include <vector>

#include "ops/aggregate/gpu/groups/state_layout.h"
#include "ops/gpu/branch/device_sink.h"

namespace lanewise::ops {

/// The kernels of aggregates whose only group blocks keep in registers: narrowing, then `aggregate`, the
/// stages from first_of_last() on, whose rows go into a State for each block at JobLayout::kOut; where the
/// section takes pairs, after it `aggregate_queue`, of JobLayout::kQueue. The program's outputs are an
/// argument and a filter for each input.
class StateKernels : public SinkKernels {
 public:
  /// The arguments must outlive it.
  StateKernels(const codegen::KernelBuilder& builder, const GroupPlan& plan, const StateLayout& states)
      : builder_(builder), plan_(plan), states_(states) {}
  std::vector<codegen::KernelText> texts() const override;

 private:
  std::string head() const;
  void add_row(expr::Emitter& out) const;
  void define_find(expr::Emitter& out) const;
  void add_pair_kernels(std::vector<codegen::KernelText>& texts, const std::string& head) const;
  bool counts_bits() const;
  void add_counting_kernel(std::vector<codegen::KernelText>& texts, const std::string& head) const;

  const codegen::KernelBuilder& builder_;
  const GroupPlan& plan_;
  const StateLayout& states_;
};

}  // namespace lanewise::ops
