#pragma once

#include "pram/gpu/backends/backend.h"

namespace lanewise::pram {

/// Active processors of a block on a device: all, a bitmap, or an ascending list.
struct DeviceSet {
  enum class Form : uint8_t { kAll, kBits, kList };  // values as in preludes/common.c

  Form form = Form::kAll;
  uint32_t total = 0;   ///< of the block
  uint32_t count = 0;   ///< active
  Buffer members = {};  ///< bits or numbers, of 32 bits each

  /// Number of processors, or length of the list.
  uint32_t positions() const { return form == Form::kList ? count : total; }
};

/// The kernels shared by all programs, on a backend.
class DeviceTools {
 public:
  explicit DeviceTools(Backend& backend);

  Backend& backend() const { return backend_; }
  void launch(const char* kernel, uint64_t positions, std::initializer_list<uint64_t> arguments) const {
    code_->launch(kernel, positions, {arguments.begin(), arguments.size()});
  }

  /// Words of 32 positions each, up to whole groups.
  static size_t bit_bytes(uint32_t positions) { return (size_t{positions} / 256 + 1) * 32; }

  /// Those of `from` whose positions have a bit in `kept` (if `wanted`, else none); `count` of them.
  DeviceSet narrow(const DeviceSet& from, const Buffer& kept, bool wanted, uint32_t count,
                   bool as_list) const;

 private:
  Backend& backend_;
  std::unique_ptr<Code> code_;
};

}  // namespace lanewise::pram
