#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "exec/gpu/branch/device_sink.h"
#include "exec/gpu/codegen/kernel_builder.h"

namespace lanewise::exec {

/// The sources of a section's kernels: those that narrow its rows, then those of the probe or the sink that
/// takes them.
class SectionSources {
 public:
  /// See KernelBuilder. The references outlive it. Throws expr::NotOnDevice.
  SectionSources(const Program& program, const DeviceSink& sink, std::vector<size_t> columns,
                 std::vector<ColumnForm> forms, const Strategy& strategy = {}, size_t section = 0);

  std::vector<KernelText> texts() const;

  const KernelBuilder& builder() const { return *builder_; }
  bool is_last() const { return sink_ != nullptr; }
  /// The sink's, of the last section.
  const SinkKernels& sink() const { return *sink_; }
  /// exec::split_places(), found once.
  const std::optional<std::vector<size_t>>& split_places() const { return split_places_; }

 private:
  std::unique_ptr<const KernelBuilder> builder_;  // the sink's refer to it
  std::unique_ptr<const SinkKernels> sink_;
  std::optional<std::vector<size_t>> split_places_;
};

}  // namespace lanewise::exec
