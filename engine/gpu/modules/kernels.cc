#include "gpu/modules/kernels.h"

#include <fmt/format.h>

#include <optional>
#include <string_view>
#include <utility>

#include "gpu/error.h"

namespace lanewise::gpu {

namespace {

/// Each part with its length: no two lists of parts give the same text.
class Key {
 public:
  void add(std::string_view part) { text_ += fmt::format("{}:{}\n", part.size(), part); }
  /// All but the headers.
  void add(const KernelSource& source, const std::string& architecture) {
    add(LANEWISE_VERSION);
    add(architecture);
    add(source.name);
    add(source.text);
    add(fmt::format("{} options", source.options.size()));
    for (const std::string& option : source.options) add(option);
  }
  void add_headers(const KernelSource& source) {
    for (const auto& [name, text] : included_headers(source)) {
      add(name);
      add(text);
    }
  }
  std::string take() { return std::move(text_); }

 private:
  std::string text_;
};

std::string cache_key(const Device& device, const KernelSource& source) {
  return cache_key(source, device.properties().architecture(), device.driver().version());
}

/// Nothing: it was not compiled ahead, or not for this driver.
std::optional<Module> load_ahead(Device& device, const KernelSource& source, const KernelCache& ahead) {
  const std::optional<std::string> image = ahead.find(ahead_key(source, device.properties().architecture()));
  if (!image) return std::nullopt;
  try {
    return Module(device, *image);
  } catch (const DeviceError&) {  // what else it may mean, the next call says again
    return std::nullopt;
  }
}

}  // namespace

std::string cache_key(const KernelSource& source, const std::string& architecture, int driver_version) {
  Key key;
  key.add(source, architecture);
  key.add(version_text(driver_version));
  key.add(Compiler::system_file());
  key.add_headers(source);
  return key.take();
}

std::string ahead_key(const KernelSource& source, const std::string& architecture) {
  Key headers, key;
  headers.add_headers(source);
  key.add(source, architecture);
  key.add(fmt::format("headers {:016x}", digest(headers.take())));
  return key.take();
}

std::optional<BuiltModule> find_built(Device& device, const KernelSource& source, const KernelCache& cache,
                                      const KernelCache& ahead) {
  if (std::optional<Module> module = load_ahead(device, source, ahead))
    return BuiltModule{std::move(*module), true};
  if (const std::optional<std::string> image = cache.find(cache_key(device, source)))
    return BuiltModule{Module(device, *image), true};
  return std::nullopt;
}

BuiltModule build(Device& device, const KernelSource& source, KernelCache& cache, const KernelCache& ahead) {
  if (std::optional<BuiltModule> found = find_built(device, source, cache, ahead)) return std::move(*found);
  const std::string image = Compiler::system().compile(source, device.properties().architecture());
  Module module(device, image);
  cache.store(cache_key(device, source), image);  // only what can be loaded
  return {std::move(module), false};
}

}  // namespace lanewise::gpu
