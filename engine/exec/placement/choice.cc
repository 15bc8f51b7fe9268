#include "exec/placement/choice.h"

#include <fmt/format.h>

namespace lanewise::exec {

std::string Choice::text() const {
  if (!reason.empty()) return fmt::format("on the {}: {}", on_device() ? "GPU" : "CPU", reason);
  const std::string here = duration(host.seconds()), there = duration(device.seconds());
  std::string text = on_device() ? fmt::format("on the GPU: about {}, on the CPU {}", there, here)
                                 : fmt::format("on the CPU: about {}, on the GPU {}{}", here, there,
                                               at_least ? " or more" : "");
  if (!context.empty()) text += ", but " + context;
  return text;
}

std::string Choice::device_text() const {
  constexpr const char* kKernels[] = {"", "; kernels to be compiled", "; kernels in the cache",
                                      "; kernels compiled ahead"};
  return to_string(device) + kKernels[static_cast<int>(kernels)];
}

}  // namespace lanewise::exec
