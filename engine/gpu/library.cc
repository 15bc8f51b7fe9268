#include "gpu/library.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include "gpu/error.h"

namespace lanewise::gpu {

Library::Library(const std::vector<std::string>& names, const std::string& what, const std::string& advice) {
  std::string reason;
  for (const std::string& name : names) {
    handle_ = ::dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (handle_ != nullptr) {
      name_ = name;
      return;
    }
    if (reason.empty()) reason = ::dlerror();
  }
  throw DeviceError(
      fmt::format("{} was not found ({}){}{}", what, reason, advice.empty() ? "" : "; ", advice));
}

void* Library::address(const char* symbol) const {
  void* found = ::dlsym(handle_, symbol);
  if (found == nullptr)
    throw DeviceError(fmt::format("{} has no {}: it is too old or damaged", name_, symbol));
  return found;
}

}  // namespace lanewise::gpu
