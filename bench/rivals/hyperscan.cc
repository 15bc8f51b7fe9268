#include "hyperscan.h"

#include <dlfcn.h>

#include <stdexcept>

namespace lanewise::rivals {

Hyperscan::Hyperscan(const std::string& path) {
  void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  const auto function = [&](const char* name, auto& pointer) {
    void* found = library == nullptr ? nullptr : dlsym(library, name);
    if (found == nullptr) throw std::runtime_error(dlerror());
    pointer = reinterpret_cast<std::remove_reference_t<decltype(pointer)>>(found);
  };
  function("hs_compile", compile_);
  function("hs_alloc_scratch", alloc_scratch_);
  function("hs_scan", scan_);
}

Hyperscan::Database Hyperscan::compile(const std::string& pattern, unsigned flags) const {
  constexpr unsigned kBlockMode = 1;
  Database made;
  CompileError* error = nullptr;
  if (compile_(pattern.c_str(), flags, kBlockMode, nullptr, &made.database, &error) != 0) return {};
  if (alloc_scratch_(made.database, &made.scratch) != 0) throw std::bad_alloc();
  return made;
}

}  // namespace lanewise::rivals
