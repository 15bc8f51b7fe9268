#include "hyperscan.h"

#include <dlfcn.h>

#include <stdexcept>

namespace lanewise::rivals {

Hyperscan::Hyperscan(const std::string& path, bool avx2) : avx2_(avx2) {
  void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  const auto function = [&](const char* name, auto& pointer) {
    void* found = library == nullptr ? nullptr : dlsym(library, name);
    if (found == nullptr) throw std::runtime_error(dlerror());
    pointer = reinterpret_cast<std::remove_reference_t<decltype(pointer)>>(found);
  };
  function("hs_compile", compile_);
  function("hs_alloc_scratch", alloc_scratch_);
  function(avx2 ? "avx2_hs_scan" : "hs_scan", scan_);
}

Hyperscan::Database Hyperscan::compile(const std::string& pattern, unsigned flags) const {
  constexpr unsigned kBlockMode = 1;
  constexpr unsigned long long kAvx2 = 1 << 2;
  const Platform avx2{.features = kAvx2};
  Database made;
  CompileError* error = nullptr;
  const Platform* const platform = avx2_ ? &avx2 : nullptr;
  if (compile_(pattern.c_str(), flags, kBlockMode, platform, &made.database, &error) != 0) return {};
  if (alloc_scratch_(made.database, &made.scratch) != 0) throw std::bad_alloc();
  return made;
}

void Hyperscan::scan(const Database& database, const char* text, unsigned size, OnMatch on_match,
                     void* context) const {
  constexpr int kEndedByMatch = -3;
  const int error = scan_(database.database, text, size, 0, database.scratch, on_match, context);
  if (error != 0 && error != kEndedByMatch) throw std::runtime_error("hs_scan: " + std::to_string(error));
}

}  // namespace lanewise::rivals
