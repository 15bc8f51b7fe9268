#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "codegen/kernel_builder.h"
#include "ops/gpu/branch/device_sink.h"

namespace lanewise::ops {

/// The sources of a section's kernels: those that narrow its rows, then those of the probe or the sink that
/// takes them.
class SectionSources {
 public:
  /// See KernelBuilder. The references outlive it. Throws expr::NotOnDevice.
  SectionSources(const codegen::Program& program, const DeviceSink& sink, std::vector<size_t> columns,
                 std::vector<codegen::ColumnForm> forms, const codegen::Strategy& strategy = {},
                 size_t section = 0);

  std::vector<codegen::KernelText> texts() const;

  const codegen::KernelBuilder& builder() const { return *builder_; }
  bool is_last() const { return sink_ != nullptr; }
  /// The sink's, of the last section.
  const SinkKernels& sink() const { return *sink_; }
  /// split_places(), found once.
  const std::optional<std::vector<size_t>>& split_places() const { return split_places_; }

 private:
  std::unique_ptr<const codegen::KernelBuilder> builder_;  // the sink's refer to it
  std::unique_ptr<const SinkKernels> sink_;
  std::optional<std::vector<size_t>> split_places_;
};

}  // namespace lanewise::ops
