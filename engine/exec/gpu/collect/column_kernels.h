#pragma once

#include <functional>
#include <string>
#include <vector>

#include "exec/gpu/branch/device_sink.h"

namespace lanewise::exec {

/// Kernels that narrow the rows, and `project`, which writes the sink's columns of a list of them.
class ColumnKernels : public SinkKernels {
 public:
  explicit ColumnKernels(const KernelBuilder& builder) : builder_(builder) {}
  std::vector<KernelText> texts() const override {
    return texts("", [](KernelText&) {});
  }

 protected:
  /// With more headers, and more kernels in the source of `project`.
  std::vector<KernelText> texts(const std::string& headers,
                                const std::function<void(KernelText&)>& add_more) const;
  const KernelBuilder& builder() const { return builder_; }

 private:
  const KernelBuilder& builder_;
};

}  // namespace lanewise::exec
