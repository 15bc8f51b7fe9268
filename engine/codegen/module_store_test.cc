#include "codegen/module_store.h"

#include <filesystem>
#include <iterator>
#include <thread>

#include "base/machine.h"
#include "base/memory.h"
#include "base/testing/test_size.h"
#include "gpu/testing/fake_driver.h"
#include "gpu/testing/nvrtc.h"

namespace lanewise::codegen {
namespace module_store_test {

class ModuleStoreTest : public gpu::FakeDriverTest {
 protected:
  void SetUp() override {
    if (kSanitized || !gpu::find_nvrtc(LANEWISE_SOURCE_DIR))
      GTEST_SKIP() << "NVRTC is not here, or not instrumented";
  }
  /// The next module finds no memory.
  void fail_once() {
    fake_.fail_in = 1;
    fake_.fail_with = 2;
  }

  const std::string source_ = "extern \"C\" __global__ void of_a_test() {}\n";
  gpu::Driver driver_{library_};
  gpu::Device& device_ = driver_.device(0);
};

TEST_F(ModuleStoreTest, GetBuildsAgainAfterAFailure) {
  ModuleStore store(device_);
  fail_once();
  EXPECT_THROW(store.get(source_), MemoryError);
  EXPECT_NE(store.get(source_), nullptr);
}

TEST_F(ModuleStoreTest, GetBuildsAgainAfterABackgroundFailure) {
  ModuleStore store(device_);
  fail_once();
  while (store.begin(source_)) std::this_thread::yield();
  EXPECT_NE(store.get(source_), nullptr);
}

TEST_F(ModuleStoreTest, FindsBuiltModules) {
  ModuleStore store(device_);
  const auto built = store.get(source_);
  EXPECT_FALSE(store.begin(source_));
  EXPECT_EQ(store.find(source_), built);
  EXPECT_EQ(store.get(source_), built);
}

/// A different source for each number.
std::string numbered(int number) {
  return "extern \"C\" __global__ void number_" + std::to_string(number) + "() {}\n";
}

TEST_F(ModuleStoreTest, DropsTheLeastRecentlyUsedModule) {
  ModuleStore store(device_, 3);
  const auto first = store.get(numbered(0));
  for (int number = 1; number < 5; ++number) {
    store.get(numbered(number));
    EXPECT_EQ(store.get(numbered(0)), first) << number;  // used again and again
  }
  EXPECT_FALSE(store.begin(numbered(4)));
  EXPECT_TRUE(store.begin(numbered(1)));  // was forgotten
}

TEST_F(ModuleStoreTest, ManyAreBuiltByAFewThreads) {
  const auto threads = [] {
    const std::filesystem::directory_iterator all("/proc/self/task"), end;
    return std::distance(all, end);
  };
  const auto before = threads();
  {
    ModuleStore store(device_);
    for (int number = 0; number < 40; ++number) store.begin(numbered(number));
    EXPECT_LE(threads(), before + machine_cores());
    for (int number = 0; number < 20; ++number) EXPECT_NE(store.get(numbered(number)), nullptr);
  }
  EXPECT_LE(threads(), before);
}

TEST_F(ModuleStoreTest, AwaitedModulesAreBuiltFirst) {
  ModuleStore store(device_);
  // If modules were built in the order of requests, only those that threads are building now would be
  // missing. Kernels in the cache on disk may all be ready before get() waits; then the test tries others.
  int to_come = 0;
  for (int first = 100; to_come <= machine_cores() && first < 2000; first += 40) {
    for (int number = first; number < first + 40; ++number) store.begin(numbered(number));
    store.get(numbered(first + 39));
    to_come = 0;
    for (int number = first; number < first + 39; ++number) to_come += store.begin(numbered(number));
  }
  EXPECT_GT(to_come, machine_cores());
}

}  // namespace module_store_test
}  // namespace lanewise::codegen
