#include "process/fault.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <thread>

namespace lanewise::cli {
namespace {

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)

/// Uses a page of stack for each level.
int descend(int levels) {  // NOLINT: the recursion is intended
  volatile char page[4096] = {};
  page[0] = static_cast<char>(levels);
  return levels == 0 ? 0 : descend(levels - 1) + page[0];
}

constexpr int kTooDeep = 1 << 24;

void report_while(const char* what) {
  report_faults();
  set_running(what);
}

TEST(Faults, AStackOverflowOfTheMainThreadNamesTheStatement) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_DEATH(
      {
        report_while("SELECT 1");
        std::exit(descend(kTooDeep));
      },
      "segmentation fault while running: SELECT 1\n");
}

TEST(Faults, AStackOverflowOfAnyThreadNamesTheStatement) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_DEATH(
      {
        report_while("SELECT 2");
        std::thread([] { std::exit(descend(kTooDeep)); }).join();
      },
      "segmentation fault while running: SELECT 2\n");
}

#endif

TEST(Faults, ThreadsGiveTheirResults) {
  int sum = 0;
  for (int i = 0; i < 100; ++i) std::thread([&] { sum += i; }).join();
  EXPECT_EQ(sum, 4950);
}

}  // namespace
}  // namespace lanewise::cli
