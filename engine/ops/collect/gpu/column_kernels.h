#pragma once

#include <functional>
#include <string>
#include <vector>

#include "ops/gpu/branch/device_sink.h"

namespace lanewise::ops {

/// Kernels that narrow the rows, and `project`, which writes the sink's columns of a list of them.
class ColumnKernels : public SinkKernels {
 public:
  explicit ColumnKernels(const codegen::KernelBuilder& builder) : builder_(builder) {}
  std::vector<codegen::KernelText> texts() const override {
    return texts("", [](codegen::KernelText&) {});
  }

 protected:
  /// With more headers, and more kernels in the source of `project`.
  std::vector<codegen::KernelText> texts(const std::string& headers,
                                         const std::function<void(codegen::KernelText&)>& add_more) const;
  const codegen::KernelBuilder& builder() const { return builder_; }

 private:
  const codegen::KernelBuilder& builder_;
};

}  // namespace lanewise::ops
