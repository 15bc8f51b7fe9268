#pragma once

#include "base/error.h"

namespace lanewise::ops {

/// The device has no memory for so many rows at a time.
class DeviceFull : public MemoryError {
 public:
  using MemoryError::MemoryError;
};

/// What `make` gives; DeviceFull where it finds no memory.
template <class Make>
decltype(auto) or_full(Make&& make) {
  try {
    return make();
  } catch (const MemoryError& error) {
    throw DeviceFull(error.what());
  }
}

}  // namespace lanewise::ops
