#include "exec/gpu/codegen/module_store.h"

#include <thread>

#include "base/memory.h"
#include "base/testing/test_size.h"
#include "gpu/testing/fake_driver.h"
#include "gpu/testing/nvrtc.h"

namespace lanewise::exec {
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

TEST_F(ModuleStoreTest, AFailureIsTheAskersAlone) {
  ModuleStore store(device_);
  fail_once();
  EXPECT_THROW(store.get(source_), MemoryError);
  EXPECT_NE(store.get(source_), nullptr);
}

TEST_F(ModuleStoreTest, WhatFailedBesideIsBuiltAnew) {
  ModuleStore store(device_);
  fail_once();
  while (store.begin(source_)) std::this_thread::yield();
  EXPECT_NE(store.get(source_), nullptr);
}

TEST_F(ModuleStoreTest, WhatIsThereIsFound) {
  ModuleStore store(device_);
  const auto built = store.get(source_);
  EXPECT_FALSE(store.begin(source_));
  EXPECT_EQ(store.find(source_), built);
  EXPECT_EQ(store.get(source_), built);
}

}  // namespace module_store_test
}  // namespace lanewise::exec
