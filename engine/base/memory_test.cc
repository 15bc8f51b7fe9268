#include "base/memory.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/mman.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <fstream>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "base/arena.h"
#include "base/blocks.h"
#include "base/error.h"
#include "base/int128.h"
#include "base/machine.h"
#include "base/size.h"
#include "base/spill_file.h"
#include "base/testing/temporary_folder.h"

namespace lanewise {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::ThrowsMessage;

TEST(MemoryBudget, RefusesByNameAndLosesNothing) {
  MemoryBudget budget(1000);
  Reservation first(&budget, "first");
  first.resize(600);
  Reservation second(&budget, "GROUP BY");
  EXPECT_THAT(
      [&] { second.resize(500); },
      ThrowsMessage<MemoryError>(AllOf(HasSubstr("GROUP BY"), HasSubstr("500 B"), HasSubstr("1000 B"))));
  EXPECT_EQ(budget.used(), 600);
  second.resize(400);
  first.resize(0);
  EXPECT_EQ(budget.used(), 400);
  EXPECT_EQ(budget.peak(), 1000);
}

TEST(MemoryBudget, AsksCachesBeforeItRefuses) {
  MemoryBudget budget(1000);
  Reservation cache(&budget, "cache");
  cache.resize(900);
  const Reclaimer reclaimer = budget.add_reclaimer([&](size_t) {
    cache.resize(0);
    return size_t{900};
  });
  Reservation query(&budget, "query");
  query.resize(800);
  EXPECT_EQ(budget.used(), 800);
}

TEST(MemoryBudget, LetsReclaimersReserve) {
  MemoryBudget budget(1000);
  Reservation cache(&budget, "cache"), copy(&budget, "copy of the cache");
  cache.resize(900);
  int calls = 0;
  const auto move_down = [&](size_t) {
    ++calls;
    EXPECT_THROW(copy.resize(150), MemoryError);  // allocates memory itself, and must not wait for itself
    cache.resize(0);
    return size_t{900};
  };
  const Reclaimer first = budget.add_reclaimer(move_down);
  const Reclaimer second = budget.add_reclaimer([](size_t) { return size_t{0}; });
  Reservation query(&budget, "query");
  query.resize(800);
  EXPECT_EQ(calls, 1);
}

TEST(MemoryBudget, NeverCallsAReclaimerThatHasEnded) {
  MemoryBudget budget(1000);
  Reservation held(&budget, "held");
  held.resize(1000);
  std::atomic<bool> stop{false};
  std::thread asks([&] {
    while (!stop) budget.reclaim(1);
  });
  for (int i = 0; i < 1000; ++i) {
    auto alive = std::make_unique<bool>(true);
    const Reclaimer reclaimer = budget.add_reclaimer([&](size_t) { return static_cast<size_t>(!*alive); });
  }  // the reclaimer ends before the objects it reads
  stop = true;
  asks.join();
}

TEST(MemoryBudget, CountsAcrossThreads) {
  MemoryBudget budget(1 << 20);
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < 10000; ++i) {
        if (budget.try_reserve(64)) budget.release(64);
      }
    });
  }
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(budget.used(), 0);
}

TEST(Buffer, IsAlignedPaddedAndCharged) {
  MemoryBudget budget(1 << 20);
  {
    Buffer buffer = Buffer::allocate(100, &budget, "test");
    EXPECT_EQ(reinterpret_cast<uintptr_t>(buffer.data()) % 64, 0);
    for (size_t i = 0; i < kPadding; ++i) EXPECT_EQ(buffer.data()[100 + i], 0);
    EXPECT_GE(budget.used(), 164);
    const Buffer shared = buffer.prefix(10);
    buffer = Buffer();
    EXPECT_GE(budget.used(), 164) << "the prefix keeps the memory";
  }
  EXPECT_EQ(budget.used(), 0);
  EXPECT_THROW(Buffer::allocate(2 << 20, &budget, "test"), MemoryError);
}

TEST(Buffer, TakesOverTheMemoryOfTheLastOneOfItsSize) {
  if (blocks::kSmallest == SIZE_MAX) GTEST_SKIP() << "all memory is malloc()'s";
  constexpr size_t kSize = (size_t{3} << 20) - 1000;
  Buffer first = Buffer::allocate(kSize, nullptr, "test");
  const Buffer other = Buffer::allocate(kSize, nullptr, "test");
  EXPECT_NE(first.data(), other.data());
  const uint8_t* memory = first.data();
  const size_t before = blocks::kept();
  first = {};
  EXPECT_GT(blocks::kept(), before + kSize);
  const Buffer huge = Buffer::allocate(2 * kSize, nullptr, "test", Access::kRandom);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(huge.data()) % blocks::kHugePage, 0);
  const Buffer again = Buffer::allocate(kSize - 100, nullptr, "test");
  EXPECT_EQ(again.data(), memory);
  EXPECT_EQ(blocks::kept(), before);
}

TEST(Buffer, KeepsALimitedAmountOfFreedMemory) {
  if (blocks::kSmallest == SIZE_MAX) GTEST_SKIP() << "all memory is malloc()'s";
  std::vector<Buffer> buffers(1200);
  for (Buffer& buffer : buffers) buffer = Buffer::allocate(size_t{1} << 20, nullptr, "test");
  buffers.clear();
  EXPECT_LE(blocks::kept(), size_t{1} << 30);
}

/// Zero, too, if the system does not report them, and under emulators, which ignore madvise().
size_t lent_bytes() {
  std::ifstream file("/proc/self/smaps_rollup");
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("LazyFree:")) return std::stoul(line.substr(9)) << 10;
  }
  return 0;
}

bool counts_lent_bytes() {
  constexpr size_t kBytes = size_t{1} << 22;
  void* pages = ::mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (pages == MAP_FAILED) return false;
  const size_t before = lent_bytes();
  std::memset(pages, 1, kBytes);
  ::madvise(pages, kBytes, MADV_FREE);
  const bool counts = lent_bytes() > before;
  ::munmap(pages, kBytes);
  return counts;
}

TEST(Buffer, LendsPagesOfTheOlderHalf) {
  if (blocks::kSmallest == SIZE_MAX) GTEST_SKIP() << "all memory is malloc()'s";
  if (!counts_lent_bytes()) GTEST_SKIP() << "this system does not count lent pages";
  const size_t limit = std::min(machine_memory() / 16, size_t{1} << 30);
  std::vector<Buffer> buffers(limit / (size_t{1} << 20) + 8);
  for (Buffer& buffer : buffers) {
    buffer = Buffer::allocate(size_t{1} << 20, nullptr, "test");
    std::memset(buffer.mutable_data(), 1, buffer.size());
  }
  const size_t before = lent_bytes();
  buffers.erase(buffers.begin(), buffers.begin() + 8);
  EXPECT_EQ(lent_bytes(), before) << "the latest blocks keep their pages";
  buffers.clear();
  EXPECT_GT(lent_bytes(), limit / 4);
  EXPECT_LE(lent_bytes(), limit * 3 / 4);
}

TEST(Buffer, IsReleasedByManyThreads) {
  std::vector<std::jthread> threads;
  for (int thread = 0; thread < 4; thread++) {
    threads.emplace_back([thread] {
      for (int i = 0; i < 200; i++) {
        Buffer buffer = Buffer::allocate(size_t{300} << 10, nullptr, "test");
        buffer.mutable_data()[0] = static_cast<uint8_t>(thread);
        std::this_thread::yield();
        ASSERT_EQ(buffer.data()[0], thread);
      }
    });
  }
}

TEST(Buffer, SpillsWhatIsLargeAndHasNoRoom) {
  const TemporaryFolder folder;
  MemoryBudget budget(2 << 20);
  budget.spill_to(std::make_shared<SpillFile>(folder.path().string()));
  const Buffer first = Buffer::allocate(1000 << 10, &budget, "test");
  const Buffer large = Buffer::allocate(1000 << 10, &budget, "test");
  const Buffer small = Buffer::allocate(1 << 10, &budget, "test");
  EXPECT_FALSE(first.spilled());
  EXPECT_TRUE(large.spilled());
  EXPECT_TRUE(large.prefix(10).spilled());
  EXPECT_FALSE(small.spilled()) << "a quarter of the limit is left for what is small";
  EXPECT_LT(budget.used(), 1100u << 10);
  for (size_t i = 0; i < kPadding; ++i) EXPECT_EQ(large.data()[(1000 << 10) + i], 0);
}

TEST(Buffer, MovesToAFileAndKeepsItsAddress) {
  if (blocks::kSmallest == SIZE_MAX) GTEST_SKIP() << "all memory is malloc()'s";
  const TemporaryFolder folder;
  MemoryBudget budget(16 << 20);
  EXPECT_FALSE(budget.is_short()) << "nowhere to move to";
  budget.spill_to(std::make_shared<SpillFile>(folder.path().string()));
  constexpr size_t kSize = (size_t{3} << 20) + 1;
  std::vector<Buffer> buffers;
  while (!budget.is_short()) {
    Buffer& buffer = buffers.emplace_back(Buffer::allocate(kSize, &budget, "test"));
    std::memset(buffer.mutable_data(), static_cast<int>(buffers.size()), kSize);
  }
  EXPECT_EQ(buffers.size(), 3) << "half of the limit";
  const Buffer small = Buffer::allocate(1000, &budget, "test");
  const size_t before = budget.used();
  for (const Buffer& buffer : buffers) {
    const uint8_t* data = buffer.data();
    buffer.spill(&budget, "test");
    buffer.spill(&budget, "test");
    EXPECT_TRUE(buffer.spilled());
    EXPECT_TRUE(buffer.prefix(1).spilled());
    EXPECT_EQ(buffer.data(), data);
  }
  small.spill(&budget, "test");
  EXPECT_FALSE(small.spilled());
  EXPECT_EQ(budget.used(), before - 3 * (kSize + 127) / 64 * 64);
  EXPECT_GE(budget.spill_file()->used(), 3 * kSize);
  for (size_t i = 0; i < buffers.size(); ++i) {
    EXPECT_EQ(buffers[i].data()[0], i + 1);
    EXPECT_EQ(buffers[i].data()[kSize - 1], i + 1);
    EXPECT_EQ(buffers[i].data()[kSize], 0) << "padding";
    buffers[i].mutable_data()[5] = 77;
    EXPECT_EQ(buffers[i].data()[5], 77);
  }
  buffers.clear();
  EXPECT_EQ(budget.spill_file()->used(), 0);
}

TEST(Buffer, StaysInMemoryIfTheDiskIsFull) {
  const TemporaryFolder folder;
  MemoryBudget budget(16 << 20);
  budget.spill_to(std::make_shared<SpillFile>(folder.path().string(), 1 << 20));
  const Buffer buffer = Buffer::allocate(3 << 20, &budget, "test");
  buffer.spill(&budget, "test");
  EXPECT_FALSE(buffer.spilled());
}

TEST(Allocations, MoveWhatOneOperatorHas) {
  if (blocks::kSmallest == SIZE_MAX) GTEST_SKIP() << "all memory is malloc()'s";
  const TemporaryFolder folder;
  MemoryBudget budget(64 << 20);
  budget.spill_to(std::make_shared<SpillFile>(folder.path().string()));
  Allocations allocations;
  BufferBuilder<uint64_t> grown(&budget, "mine");
  Buffer random, other, gone;
  {
    const Allocations::Scope scope(allocations, "mine");
    for (uint64_t i = 0; i < 200'000; ++i) grown.push_back(i);
    random = Buffer::allocate(size_t{4} << 20, &budget, "mine", Access::kRandom);
    other = Buffer::allocate(size_t{1} << 20, &budget, "other");
    gone = Buffer::allocate(size_t{1} << 20, &budget, "mine");
    gone = {};
  }
  const Buffer later = Buffer::allocate(size_t{1} << 20, &budget, "mine");
  const uint64_t* data = grown.data();
  allocations.spill(&budget);
  for (const Buffer& buffer : {random, other, later}) EXPECT_FALSE(buffer.spilled());
  EXPECT_EQ(grown.data(), data);
  EXPECT_GE(budget.spill_file()->used(), 200'000 * sizeof(uint64_t));
  for (uint64_t i = 200'000; i < 400'000; ++i) grown.push_back(i);
  const Buffer all = grown.finish();
  for (uint64_t i = 0; i < 400'000; ++i) ASSERT_EQ(all.as<uint64_t>()[i], i);
}

TEST(Arena, Spills) {
  const TemporaryFolder folder;
  MemoryBudget budget(1 << 20);
  budget.spill_to(std::make_shared<SpillFile>(folder.path().string()));
  Arena arena(&budget);
  std::vector<std::string_view> texts;
  for (int i = 0; i < 100000; ++i) texts.push_back(arena.copy_packed("a text of some length"));
  EXPECT_GT(budget.spill_file()->used(), 1u << 20);
  for (const std::string_view text : texts) ASSERT_EQ(text, "a text of some length");
  EXPECT_THROW(arena.allocate<char>(65 << 20), MemoryError) << "larger than all memory";
}

TEST(BufferBuilder, GrowsAndFinishes) {
  BufferBuilder<uint32_t> builder(nullptr, "test");
  for (uint32_t i = 0; i < 10000; ++i) builder.push_back(i);
  const Buffer buffer = builder.finish();
  ASSERT_EQ(buffer.size(), 40000);
  for (uint32_t i = 0; i < 10000; ++i) ASSERT_EQ(buffer.as<uint32_t>()[i], i);
  EXPECT_EQ(builder.size(), 0);
  EXPECT_EQ(builder.finish().size(), 0);
}

TEST(Arena, AlignsAndForgets) {
  MemoryBudget budget(64 << 20);
  {
    Arena arena(&budget, "scratch");
    for (int round = 0; round < 3; ++round) {
      for (const size_t count : {0, 1, 63, 100'000, 1'000'000}) {
        auto* values = arena.allocate<uint64_t>(count);
        EXPECT_EQ(reinterpret_cast<uintptr_t>(values) % 64, 0);
        std::fill_n(values, count + kPadding / 8, 7);
      }
      EXPECT_EQ(arena.copy("text"), "text");
      arena.reset();
    }
  }
  EXPECT_EQ(budget.used(), 0);
}

TEST(Size, ReadsWhatPeopleWrite) {
  EXPECT_EQ(parse_size("4096"), 4096);
  EXPECT_EQ(parse_size("1.5g"), 3u << 29);
  EXPECT_EQ(parse_size("4GB"), 4'000'000'000);
  EXPECT_EQ(parse_size("512 MiB"), 512u << 20);
  for (const char* bad : {"", "x", "-1", "4 parsecs", "1e40"}) {
    EXPECT_THAT([&] { parse_size(bad); }, ThrowsMessage<UserError>(HasSubstr("is not a size"))) << bad;
  }
  EXPECT_EQ(format_size(12), "12 B");
  EXPECT_EQ(format_size(3u << 29), "1.5 GiB");
}

TEST(Int128, PrintsItsExtremes) {
  EXPECT_EQ(to_string(int128_t{0}), "0");
  EXPECT_EQ(to_string(static_cast<int128_t>(uint128_t{1} << 127)),
            "-170141183460469231731687303715884105728");
  EXPECT_EQ(to_string(~uint128_t{0}), "340282366920938463463374607431768211455");
}

TEST(Memory, BuffersOutliveTheirBudget) {
  Buffer buffer;
  {
    MemoryBudget budget(1 << 20);
    buffer = Buffer::allocate(1000, &budget, "Test");
  }
  EXPECT_EQ(buffer.size(), 1000);
}

}  // namespace
}  // namespace lanewise
