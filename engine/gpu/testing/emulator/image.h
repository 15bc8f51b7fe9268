#pragma once

#include <cstddef>

/// What the emulated compiler returns as a kernel's machine code: this header, then a shared library.
namespace lanewise::emulator {

inline constexpr char kImageMagic[8] = {'e', 'm', 'u', 'l', 'a', 't', 'e', 'd'};

struct ImageHead {
  char magic[8];
  size_t bytes;  ///< of the library
};

}  // namespace lanewise::emulator
