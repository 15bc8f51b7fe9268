#pragma once

#include <cstddef>

namespace lanewise::cli {

/// A stack for the thread's signal handlers, since its own may have overflowed. Every thread has one, even a
/// library's: see pthread_create() in alternate_stack.cc.
class AlternateStack {
 public:
  AlternateStack() noexcept;  ///< without memory, the thread has none
  AlternateStack(const AlternateStack&) = delete;
  ~AlternateStack();

 private:
  static constexpr size_t kBytes = size_t{64} << 10;
  void* memory_;
};

}  // namespace lanewise::cli
