#include "device/kernels.h"

#include <fmt/format.h>

#include <chrono>

#include "device/error.h"

namespace lanewise::device {

std::string cache_key(const KernelSource& source, const std::string& architecture, int driver_version) {
  std::string key;
  // Each part with its length: no two lists of parts give the same key.
  const auto add = [&](std::string_view part) { key += fmt::format("{}:{}\n", part.size(), part); };
  add(LANEWISE_VERSION);
  add(architecture);
  add(version_text(driver_version));
  add(source.name);
  add(source.text);
  add(fmt::format("{} options", source.options.size()));
  for (const std::string& option : source.options) add(option);
  for (const auto& [name, text] : included_headers(source)) {
    add(name);
    add(text);
  }
  return key;
}

BuiltModule build(Device& device, const KernelSource& source, KernelCache& cache) {
  const auto start = std::chrono::steady_clock::now();
  const auto seconds = [&] {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  };
  const std::string architecture = device.properties().architecture();
  const std::string key = cache_key(source, architecture, device.driver().version());
  if (const std::optional<std::string> image = cache.find(key)) {
    return {Module(device, *image), true, seconds()};
  }
  const std::string image = Compiler::system().compile(source, architecture);
  Module module(device, image);
  cache.store(key, image);  // only what can be loaded
  return {std::move(module), false, seconds()};
}

}  // namespace lanewise::device
