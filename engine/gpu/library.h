#pragma once

#include <string>
#include <vector>

namespace lanewise::gpu {

/// A shared library opened at run time; it stays open until the process ends, since drivers do not support
/// unloading.
class Library {
 public:
  /// Opens the first of `names` (file names for the loader, or paths) that exists. Throws DeviceError:
  /// `what` was not found, the loader's reason, and `advice`.
  Library(const std::vector<std::string>& names, const std::string& what, const std::string& advice = "");

  /// Throws DeviceError if the library does not have this function.
  template <class Function>
  Function* find(const char* symbol) const {
    return reinterpret_cast<Function*>(address(symbol));
  }
  /// The name that was opened.
  const std::string& name() const { return name_; }

 private:
  void* address(const char* symbol) const;

  std::string name_;
  void* handle_ = nullptr;
};

}  // namespace lanewise::gpu
