#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "exec/gpu/codegen/kernel_builder.h"
#include "exec/gpu/device_sink.h"
#include "exec/gpu/groups/group_kernels.h"
#include "exec/gpu/sort/sort_kernels.h"

namespace lanewise::exec {

/// The sources of a section's kernels: those that narrow its rows, then those of the probe or the sink that
/// takes them.
class SectionSources {
 public:
  /// See KernelBuilder. The references outlive it. Throws expr::NotOnDevice.
  SectionSources(const Program& program, const DeviceSink& sink, std::vector<size_t> columns,
                 std::vector<ColumnForm> forms, const Strategy& strategy = {}, size_t section = 0);

  /// What takes long to compile stands alone. Without groups().parts() and groups().slot_texts().
  std::vector<KernelText> texts() const;

  const KernelBuilder& builder() const { return *builder_; }
  bool groups_rows() const { return groups_.has_value(); }
  /// Of the last section, where the sink groups rows, or sorts them.
  const GroupKernels& groups() const { return *groups_; }
  const SortKernels& sort() const { return *sort_; }
  /// exec::split_places(), found once.
  const std::optional<std::vector<size_t>>& split_places() const { return split_places_; }

 private:
  void add_columns(std::vector<KernelText>& texts) const;

  const DeviceSink& sink_;
  std::unique_ptr<const KernelBuilder> builder_;  // the others refer to it
  std::optional<GroupKernels> groups_;
  std::optional<SortKernels> sort_;
  std::optional<std::vector<size_t>> split_places_;
};

}  // namespace lanewise::exec
