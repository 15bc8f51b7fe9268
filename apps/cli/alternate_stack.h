#pragma once

#include <cstddef>

namespace lanewise::cli {

/// A stack for the thread's signal handlers, since the thread's own may be what overflowed. Every thread that
/// is created, also by a library, has one: see pthread_create() in alternate_stack.cc.
class AlternateStack {
 public:
  AlternateStack() noexcept;  ///< without memory for it the thread does without
  AlternateStack(const AlternateStack&) = delete;
  ~AlternateStack();

 private:
  static constexpr size_t kBytes = size_t{64} << 10;
  void* memory_;
};

}  // namespace lanewise::cli
