#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <string>

#include "gpu/driver.h"
#include "gpu/testing/fake_cuda.h"

namespace lanewise::gpu {

/// The path of a fake driver, "fake", "incomplete" or "failing": in a folder of that name next to
/// the test program, if the tests were copied to another machine, else in the build folder.
inline std::string fake_library(const std::string& kind) {
  const std::filesystem::path here = std::filesystem::read_symlink("/proc/self/exe").parent_path();
  const std::filesystem::path beside = here / kind / "libcuda.so.1";
  return exists(beside) ? beside : here.parent_path() / "gpu" / kind / "libcuda.so.1";
}

/// Counters and settings of the kind "fake".
inline FakeCuda& fake_cuda() {
  return *Library({fake_library("fake")}, "the fake").find<FakeCuda*()>("fake_cuda")();
}

/// Tests on the fake driver; each starts with a fresh one.
class FakeDriverTest : public testing::Test {
 protected:
  FakeDriverTest() { fake_ = FakeCuda(); }

  const std::string library_ = fake_library("fake");
  FakeCuda& fake_ = fake_cuda();
};

/// Sets an environment variable for its lifetime.
class Setting {
 public:
  Setting(const char* name, const char* value) : name_(name) { setenv(name, value, 1); }
  ~Setting() { unsetenv(name_); }
  Setting(const Setting&) = delete;
  Setting& operator=(const Setting&) = delete;

 private:
  const char* name_;
};

}  // namespace lanewise::gpu
