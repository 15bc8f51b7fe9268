#pragma once

#include <set>
#include <string>
#include <vector>

#include "gpu/modules/compiler.h"

namespace lanewise::exec {

/// Kernels that are compiled together, in parallel with others.
struct KernelText {
  std::string head;  ///< what they are written with
  std::vector<std::string> names;
  std::string body;
  std::set<std::string> making_texts = {};  ///< names of those that need JobLayout::kHeap
  std::string entry = {};                   ///< the only one's name in the source, where it is another
  std::string text() const { return head + body; }
};

/// The text as NVRTC is to compile it: with 128-bit integers, and with rounding as on the host.
inline gpu::KernelSource kernel_source(std::string text) {
  return {.name = "pipeline.cu",
          .text = std::move(text),
          .options = {"--device-int128", "--device-as-default-execution-space", "--fmad=false"}};
}

}  // namespace lanewise::exec
