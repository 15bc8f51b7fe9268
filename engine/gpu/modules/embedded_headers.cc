#include "gpu/modules/compiler.h"

namespace lanewise::gpu {

std::string_view embedded_header(std::string_view name) {
  static const std::pair<std::string_view, std::string_view> kHeaders[] = {
#include <embedded_headers.inc>
  };
  for (const auto& [known, text] : kHeaders) {
    if (known == name) return text;
  }
  return {};
}

}  // namespace lanewise::gpu
