#include "study/bench/on_device.h"

#include <gtest/gtest.h>

#include "codegen/kernel_text.h"
#include "gpu/testing/nvrtc.h"

namespace lanewise::cli::bench {
namespace {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool kSanitized = true;
#else
constexpr bool kSanitized = false;
#endif

TEST(StudyKernels, NvrtcTakesThem) {
  if (kSanitized) GTEST_SKIP() << "NVRTC is not instrumented";
  if (!gpu::find_nvrtc(LANEWISE_SOURCE_DIR)) GTEST_SKIP() << "NVRTC is not here";
  for (const std::string& text : {card_kernels(), scan_kernels(), text_kernels(), pair_kernels()})
    EXPECT_FALSE(gpu::Compiler::system().compile(codegen::kernel_source(text), "sm_90").empty());
}

}  // namespace
}  // namespace lanewise::cli::bench
