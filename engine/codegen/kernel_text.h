#pragma once

#include <set>
#include <string>
#include <vector>

#include "gpu/modules/compiler.h"

namespace lanewise::codegen {

/// Kernels that are compiled together. Several KernelTexts are compiled in parallel.
struct KernelText {
  std::string head;  ///< includes and definitions that the kernels use
  std::vector<std::string> names;
  std::string body;
  std::set<std::string> making_texts = {};  ///< names of the kernels that need JobLayout::kHeap
  std::string entry = {};                   ///< the only kernel's name in the source, if it is another one
  std::string text() const { return head + body; }
};

/// The text with options for NVRTC: 128-bit integers, and the same rounding as on the host.
inline gpu::KernelSource kernel_source(std::string text) {
  return {.name = "pipeline.cu",
          .text = std::move(text),
          .options = {"--device-int128", "--device-as-default-execution-space", "--fmad=false"}};
}

}  // namespace lanewise::codegen
