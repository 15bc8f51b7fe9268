// Interposes on the real libcuda.so.1 with all functions that Lanewise calls, and lets one call fail: for
// tests on a GPU. For whole programs, with this library first in LD_LIBRARY_PATH: FAILING_CUDA_REAL is the
// path of the real one, FAILING_CUDA_IN and FAILING_CUDA_WITH the first fail_in and fail_with.

#include "gpu/testing/failing_cuda.h"

#include <dlfcn.h>

#include <cstdio>
#include <cstdlib>
#include <iterator>
#include <string_view>

namespace {

constexpr const char* kNames[] = {
#define FUNCTION(name) #name,
#include <failing_functions.inc>
#undef FUNCTION
};

int number(const char* variable) {
  const char* text = std::getenv(variable);
  return text != nullptr ? std::atoi(text) : 0;
}

FailingCuda control{{number("FAILING_CUDA_IN")}, {number("FAILING_CUDA_WITH")}};

/// Calls that never fail here: those that free, those that set the thread's context, and NVRTC's.
bool is_spared(std::string_view name) {
  for (const char* word : {"Destroy", "Free", "Release", "Unload", "Current", "Export"}) {
    if (name.find(word) != name.npos) return true;
  }
  return false;
}

}  // namespace

extern "C" {

/// The real functions, in the order of kNames.
__attribute__((visibility("hidden"))) void* failing_real[std::size(kNames)];

/// Does call `index` fail now? Its result, or 0.
__attribute__((visibility("hidden"))) int failing_enter(int index) {
  if (is_spared(kNames[index])) return 0;
  control.calls++;
  return control.fail_in > 0 && --control.fail_in == 0 ? control.fail_with.load() : 0;
}

FailingCuda* failing_cuda(const char* path) {
  void* real = ::dlopen(path, RTLD_NOW | RTLD_LOCAL);
  for (size_t i = 0; i < std::size(kNames); i++)
    failing_real[i] = real != nullptr ? ::dlsym(real, kNames[i]) : nullptr;
  return real != nullptr ? &control : nullptr;
}

__attribute__((constructor)) static void open_real() {
  const char* path = std::getenv("FAILING_CUDA_REAL");
  if (path != nullptr && failing_cuda(path) == nullptr) std::fprintf(stderr, "%s\n", ::dlerror());
}

}  // extern "C"

// Each function loads its number into r11 and jumps to failing_function, which keeps the arguments while
// failing_enter decides; then the real function continues with them and the caller's stack.
asm(R"(
.text
failing_function:
  push %rdi; push %rsi; push %rdx; push %rcx; push %r8; push %r9; push %r11
  mov %r11d, %edi
  call failing_enter
  pop %r11; pop %r9; pop %r8; pop %rcx; pop %rdx; pop %rsi; pop %rdi
  test %eax, %eax
  jnz 1f
  lea failing_real(%rip), %rax
  jmp *(%rax, %r11, 8)
1: ret
.set number, 0
)"
#define FUNCTION(name)                                   \
  ".globl " #name "\n.type " #name ", @function\n" #name \
  ":\n"                                                  \
  "mov $number_of_" #name                                \
  ", %r11d\njmp failing_function\n"                      \
  ".set number_of_" #name ", number\n.set number, number + 1\n"
#include <failing_functions.inc>
);
