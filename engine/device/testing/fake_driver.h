#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <string>

#include "device/driver.h"
#include "device/testing/fake_cuda.h"

namespace lanewise::device {

/// The stand-in for the driver that stands beside the test program, in the folder `kind`: "fake", or
/// "incomplete".
inline std::string fake_library(const char* kind) {
  return std::filesystem::read_symlink("/proc/self/exe").parent_path() / kind / "libcuda.so.1";
}

/// Tests on the stand-in for the driver; each starts with a fresh one.
class FakeDriverTest : public testing::Test {
 protected:
  FakeDriverTest() { fake_ = FakeCuda(); }

  const std::string library_ = fake_library("fake");
  FakeCuda& fake_ = *Library({library_}, "the fake").find<FakeCuda*()>("fake_cuda")();
};

/// An environment variable, for a while.
class Setting {
 public:
  Setting(const char* name, const char* value) : name_(name) { setenv(name, value, 1); }
  ~Setting() { unsetenv(name_); }
  Setting(const Setting&) = delete;
  Setting& operator=(const Setting&) = delete;

 private:
  const char* name_;
};

}  // namespace lanewise::device
