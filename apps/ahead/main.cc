// lanewise_ahead FOLDER: compiles by NVRTC what is worth compiling ahead, for the GPUs that we support, into
// FOLDER as KernelCache::ahead() reads it. What the folder holds already is not compiled again.

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <future>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "exec/gpu/plain_kernels.h"
#include "gpu/modules/kernels.h"
#include "ops/gpu/branch/section_sources.h"

namespace {

using namespace lanewise;

void compile(const std::string& text, const gpu::KernelCache& before, const gpu::KernelCache& made) {
  const gpu::KernelSource source = codegen::kernel_source(text);
  for (const std::string architecture : exec::kAheadArchitectures) {
    const std::string key = gpu::ahead_key(source, architecture);
    const std::optional<std::string> known = before.find(key);
    made.store(key, known ? *known : gpu::Compiler::system().compile(source, architecture));
  }
}

void compile_all(const std::filesystem::path& folder) {
  const std::filesystem::path aside = folder.string() + ".new";
  std::filesystem::remove_all(aside);
  const gpu::KernelCache before(folder), made(aside);
  const std::vector<std::string> texts = exec::plain_kernels();
  std::atomic<size_t> next{0};
  std::vector<std::future<void>> threads;
  for (unsigned i = 0; i < std::max(std::thread::hardware_concurrency(), 1u); ++i) {
    threads.push_back(std::async(std::launch::async, [&] {
      for (size_t text = next++; text < texts.size(); text = next++) compile(texts[text], before, made);
    }));
  }
  for (std::future<void>& thread : threads) thread.get();
  std::filesystem::remove_all(folder);
  std::filesystem::rename(aside, folder);
}

}  // namespace

int main(int count, char** arguments) try {
  if (count != 2) {
    std::fputs("usage: lanewise_ahead FOLDER\n", stderr);
    return 2;
  }
  compile_all(arguments[1]);
  return 0;
} catch (const std::exception& error) {
  std::fprintf(stderr, "lanewise_ahead: %s\n", error.what());
  return 1;
}
