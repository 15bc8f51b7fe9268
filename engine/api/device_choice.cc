#include "api/device_choice.h"

#include <fmt/format.h>

#include <charconv>

#include "base/error.h"

namespace lanewise {

DeviceChoice parse_device(const std::string& name) {
  if (name == "cpu") return {};
  if (name == "auto") return {.place = {0}};
  if (name == "cuda") return {.place = {0}, .only = true};
  int ordinal = 0;
  const char* const end = name.data() + name.size();
  if (name.starts_with("cuda:")) {
    const auto [stop, error] = std::from_chars(name.data() + 5, end, ordinal);
    if (error == std::errc() && stop == end && ordinal >= 0) return {{ordinal}, true};
  }
  throw UserError(fmt::format("there is no device named '{}'; choose cpu, cuda, cuda:N or auto", name));
}

}  // namespace lanewise
