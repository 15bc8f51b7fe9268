#include "gpu/installed.h"

#include <dlfcn.h>

#include <string>
#include <system_error>

namespace lanewise::gpu {

namespace {

std::filesystem::path own_folder() {
  Dl_info info{};
  if (::dladdr(reinterpret_cast<const void*>(&own_folder), &info) != 0 && info.dli_fname != nullptr) {
    const std::filesystem::path file(info.dli_fname);
    if (file.filename().string().find(".so") != std::string::npos) return file.parent_path();
  }
  std::error_code failed;
  return std::filesystem::read_symlink("/proc/self/exe", failed).parent_path();
}

}  // namespace

std::vector<std::filesystem::path> installed_at(std::string_view name) {
  const std::filesystem::path folder = own_folder();
  return {folder / name, folder.parent_path() / "lib" / "lanewise" / name, folder / "lanewise" / name};
}

}  // namespace lanewise::gpu
