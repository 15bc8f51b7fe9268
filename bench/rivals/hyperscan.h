#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace lanewise::rivals {

/// Hyperscan or Vectorscan: two libraries with the same interface and name. Each is opened by its path, and
/// the few functions that are called are declared here.
class Hyperscan {
 public:
  /// `avx2`: as on a machine without more than that. Throws std::runtime_error if the library does not exist.
  explicit Hyperscan(const std::string& path, bool avx2);

  enum Flags : unsigned { kMultiline = 4, kSingleMatch = 8, kUtf8 = 32 | 64 };
  using OnMatch = int (*)(unsigned id, unsigned long long from, unsigned long long to, unsigned flags,
                          void* context);

  /// A pattern with its scratch memory, kept until the process ends.
  struct Database {
    void* database = nullptr;
    void* scratch = nullptr;
    explicit operator bool() const { return database != nullptr; }
  };
  /// Nothing if the library rejects the pattern.
  Database compile(const std::string& pattern, unsigned flags) const;
  /// Throws std::runtime_error if the scan fails.
  void scan(const Database& database, const char* text, unsigned size, OnMatch on_match, void* context) const;

 private:
  struct CompileError;
  struct Platform {  // hs_platform_info
    unsigned tune = 0;
    unsigned long long features = 0, reserved[2] = {};
  };
  bool avx2_;
  int (*compile_)(const char*, unsigned flags, unsigned mode, const Platform*, void** database,
                  CompileError**);
  int (*alloc_scratch_)(const void* database, void** scratch);
  int (*scan_)(const void* database, const char* text, unsigned size, unsigned flags, void* scratch, OnMatch,
               void*);
};

}  // namespace lanewise::rivals
