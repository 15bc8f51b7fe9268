#include "base/spill_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <iterator>
#include <random>
#include <thread>
#include <vector>

#include "base/error.h"
#include "base/testing/temporary_folder.h"

namespace lanewise {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::ThrowsMessage;

size_t open_files() {
  const std::filesystem::directory_iterator all("/proc/self/fd");
  return static_cast<size_t>(std::distance(begin(all), end(all)));
}

TEST(SpillFile, HoldsBytesAndLeavesNothing) {
  const TemporaryFolder folder;
  const size_t before = open_files();
  {
    SpillFile file(folder.path().string());
    const auto first = file.allocate(100, "test");
    const auto second = file.allocate(300 << 20, "test");  // larger than the usual file size
    std::memset(first.get(), 1, 100);
    second.get()[0] = second.get()[(300 << 20) - 1] = 2;
    EXPECT_EQ(first.get()[99], 1);
    EXPECT_EQ(second.get()[(300 << 20) - 1], 2);
    EXPECT_GE(file.used(), (300u << 20) + 100);
    EXPECT_TRUE(std::filesystem::is_empty(folder.path())) << "the files have no names";
  }
  EXPECT_EQ(open_files(), before);
}

TEST(SpillFile, UsesRangesAgain) {
  const TemporaryFolder folder;
  SpillFile file(folder.path().string(), 20 << 20);
  std::mt19937 random(1);
  std::vector<std::pair<std::shared_ptr<uint8_t>, size_t>> held;
  for (int i = 0; i < 500; ++i) {
    const size_t bytes = 1 + random() % (1 << 20);
    const auto memory = file.allocate(bytes, "test");
    std::memset(memory.get(), static_cast<int>(i % 251), bytes);
    held.emplace_back(memory, bytes);
    if (held.size() == 16) {
      std::swap(held[random() % 16], held.back());
      held.pop_back();
    }
  }
  for (const auto& [memory, bytes] : held)
    EXPECT_EQ(std::count(memory.get(), memory.get() + bytes, *memory), static_cast<int64_t>(bytes));
  EXPECT_LE(file.take_peak(), 20u << 20);
  held.clear();
  EXPECT_EQ(file.used(), 0u);
}

TEST(SpillFile, MayEndBeforeWhatItGave) {
  const TemporaryFolder folder;
  std::shared_ptr<uint8_t> memory = SpillFile(folder.path().string()).allocate(1 << 20, "test");
  std::memset(memory.get(), 7, 1 << 20);
  EXPECT_EQ(memory.get()[(1 << 20) - 1], 7);
}

TEST(SpillFile, KeepsWhatAForkLetsGoOf) {
  const TemporaryFolder folder;
  SpillFile file(folder.path().string());
  std::shared_ptr<uint8_t> memory = file.allocate(1 << 20, "test");
  std::memset(memory.get(), 7, 1 << 20);
  const pid_t child = ::fork();
  if (child == 0) {
    memory.reset();
    ::_exit(0);
  }
  int status = 1;
  ::waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
  EXPECT_EQ(std::count(memory.get(), memory.get() + (1 << 20), 7), 1 << 20);
}

TEST(SpillFile, SaysWhatIsFullAndWhoAsked) {
  const TemporaryFolder folder;
  SpillFile file(folder.path().string(), 1 << 20);
  const auto held = file.allocate(700 << 10, "Join");
  EXPECT_THAT(
      [&] { file.allocate(700 << 10, "ORDER BY"); },
      ThrowsMessage<MemoryError>(AllOf(HasSubstr("ORDER BY needs 700 KiB"), HasSubstr(folder.path().string()),
                                       HasSubstr("700 KiB of 1 MiB are in use"))));
  EXPECT_EQ(file.used(), 700u << 10);
}

TEST(SpillFile, SaysThatAFolderIsMissing) {
  SpillFile file("/nowhere/at/all");
  EXPECT_THAT([&] { file.allocate(1, "Join"); },
              ThrowsMessage<MemoryError>(AllOf(HasSubstr("/nowhere/at/all"), HasSubstr("No such file"))));
}

TEST(SpillFile, ServesThreads) {
  const TemporaryFolder folder;
  SpillFile file(folder.path().string());
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < 200; ++i) {
        const size_t bytes = size_t{64} << (10 + i % 5);
        const auto memory = file.allocate(bytes, "test");
        std::memset(memory.get(), t, bytes);
        EXPECT_EQ(std::count(memory.get(), memory.get() + bytes, t), static_cast<int64_t>(bytes));
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(file.used(), 0u);
}

}  // namespace
}  // namespace lanewise
