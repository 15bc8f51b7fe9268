#include "process/alternate_stack.h"

#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>

#include <cerrno>
#include <memory>
#include <new>

namespace lanewise::cli {

AlternateStack::AlternateStack() noexcept
    : memory_(mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK, -1, 0)) {
  if (memory_ == MAP_FAILED) return;
  stack_t stack{};
  stack.ss_sp = memory_;
  stack.ss_size = kBytes;
  sigaltstack(&stack, nullptr);
}

AlternateStack::~AlternateStack() {
  if (memory_ == MAP_FAILED) return;
  stack_t none{};
  none.ss_flags = SS_DISABLE;
  sigaltstack(&none, nullptr);
  munmap(memory_, kBytes);
}

}  // namespace lanewise::cli

// Sanitizers replace pthread_create() and report faults themselves.
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)

namespace {

struct Start {
  void* (*run)(void*);
  void* argument;
};

void* run_with_stack(void* given) {
  const Start start = *std::unique_ptr<Start>(static_cast<Start*>(given));
  const lanewise::cli::AlternateStack stack;
  return start.run(start.argument);
}

}  // namespace

/// Wraps the C library's function. Threads of TBB, DuckDB and CUDA's driver have no other hook in common.
extern "C" int pthread_create(pthread_t* thread, const pthread_attr_t* attributes, void* (*run)(void*),
                              void* argument) noexcept {
  using Create = int (*)(pthread_t*, const pthread_attr_t*, void* (*)(void*), void*);
  static const auto create = reinterpret_cast<Create>(dlsym(RTLD_NEXT, "pthread_create"));
  std::unique_ptr<Start> start(new (std::nothrow) Start{run, argument});
  if (start == nullptr) return EAGAIN;
  const int error = create(thread, attributes, run_with_stack, start.get());
  if (error == 0) start.release();  // NOLINT: the thread owns it
  return error;
}

#endif
