#include "gpu/modules/kernel_cache.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <fstream>
#include <thread>

#include "base/testing/temporary_folder.h"
#include "gpu/testing/fake_driver.h"

namespace lanewise::gpu {
namespace {

namespace fs = std::filesystem;

class KernelCacheTest : public testing::Test {
 protected:
  fs::path only_file() const {
    const fs::path path = fs::directory_iterator(folder_)->path();
    EXPECT_EQ(std::distance(fs::directory_iterator(folder_), fs::directory_iterator()), 1);
    return path;
  }

  const TemporaryFolder temporary_;
  const fs::path folder_ = temporary_.path() / "kernels" / "deep";
  const KernelCache cache_{folder_};
};

TEST_F(KernelCacheTest, GivesWhatWasStoredUnderTheKey) {
  EXPECT_EQ(cache_.find("key"), std::nullopt);
  cache_.store("key", std::string("image\0with zero", 15));
  EXPECT_EQ(cache_.find("key"), std::string("image\0with zero", 15));
  EXPECT_EQ(cache_.find("other key"), std::nullopt);
  cache_.store("key", "newer");
  EXPECT_EQ(cache_.find("key"), "newer");
  EXPECT_EQ(KernelCache(folder_).find("key"), "newer");
}

TEST_F(KernelCacheTest, SaysWhatItHoldsWithoutReadingIt) {
  EXPECT_FALSE(cache_.holds("key"));
  cache_.store("key", "image");
  EXPECT_TRUE(cache_.holds("key"));
  EXPECT_FALSE(cache_.holds("ke"));
  EXPECT_FALSE(cache_.holds("other key"));
  EXPECT_FALSE(KernelCache({}).holds("key"));
  const auto then = fs::file_time_type::clock::now() - std::chrono::hours(1);
  fs::last_write_time(only_file(), then);
  EXPECT_TRUE(cache_.holds("key"));
  EXPECT_EQ(fs::last_write_time(only_file()), then);  // it was not used
  fs::resize_file(only_file(), 10);
  EXPECT_FALSE(cache_.holds("key"));
}

TEST_F(KernelCacheTest, DistinguishesKeysWithEqualDigests) {
  cache_.store("key", "image");
  const fs::path path = only_file();
  cache_.store("other", "image of other");
  for (const auto& entry : fs::directory_iterator(folder_)) {
    if (entry.path() != path) fs::rename(entry.path(), path);  // as if their digests were equal
  }
  EXPECT_EQ(cache_.find("key"), std::nullopt);
}

TEST_F(KernelCacheTest, AnyDamageIsNoEntry) {
  cache_.store("key", "image");
  const fs::path path = only_file();
  std::ifstream in(path, std::ios::binary);
  const std::string whole((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
  const auto write = [&](const std::string& bytes) { std::ofstream(path, std::ios::binary) << bytes; };
  for (size_t i = 0; i < whole.size(); i++) {
    write(whole.substr(0, i));
    EXPECT_EQ(cache_.find("key"), std::nullopt) << "cut at " << i;
    std::string flipped = whole;
    flipped[i] = static_cast<char>(flipped[i] ^ 1);
    write(flipped);
    EXPECT_EQ(cache_.find("key"), std::nullopt) << "another byte at " << i;
  }
  write(whole + "x");
  EXPECT_EQ(cache_.find("key"), std::nullopt);
  write(whole);
  EXPECT_EQ(cache_.find("key"), "image");
}

TEST_F(KernelCacheTest, WithoutAFolderNothingIsCachedAndNothingFails) {
  const KernelCache none{fs::path()};
  none.store("key", "image");
  EXPECT_EQ(none.find("key"), std::nullopt);
  const KernelCache impossible("/proc/lanewise/kernels");
  impossible.store("key", "image");
  EXPECT_EQ(impossible.find("key"), std::nullopt);
}

TEST_F(KernelCacheTest, TheOldestGoWhenItIsFull) {
  const std::string image(1000, 'i');
  const KernelCache small(folder_, 10'000);
  for (int i = 0; i < 9; i++) small.store("key " + std::to_string(i), image);
  const auto hour = std::chrono::hours(1);
  for (const auto& entry : fs::directory_iterator(folder_))
    fs::last_write_time(entry, fs::file_time_type::clock::now() - hour);
  ASSERT_TRUE(small.find("key 3"));  // now it has been used
  small.store("key 9", image);
  EXPECT_TRUE(small.find("key 3"));
  EXPECT_TRUE(small.find("key 9"));
  size_t bytes = 0;
  for (const auto& entry : fs::directory_iterator(folder_)) bytes += entry.file_size();
  EXPECT_LE(bytes, 7500u);
  EXPECT_GE(bytes, 5000u);
}

TEST_F(KernelCacheTest, WhatWasLeftHalfWrittenGoes) {
  cache_.store("key", "image");
  for (const char* name : {"1-0.new", "2-0.new", "notes"}) std::ofstream(folder_ / name) << "x";
  fs::last_write_time(folder_ / "1-0.new", fs::file_time_type::clock::now() - std::chrono::hours(2));
  cache_.store("other", "image");
  EXPECT_FALSE(fs::exists(folder_ / "1-0.new"));
  EXPECT_TRUE(fs::exists(folder_ / "2-0.new")) << "its process may still be writing";
  EXPECT_TRUE(fs::exists(folder_ / "notes"));
}

TEST_F(KernelCacheTest, ProcessesShareIt) {
  constexpr int kProcesses = 4, kRounds = 300;
  const auto image = [](int key, int round) {
    return std::string(2000 + static_cast<size_t>(key), static_cast<char>(round));
  };
  const auto work = [&](int process) {
    const KernelCache cache(folder_, 20'000);  // so small that entries are evicted all the time
    for (int round = 0; round < kRounds; round++) {
      const int key = (round * 7 + process) % 12;
      if (const auto found = cache.find("key " + std::to_string(key))) {
        if (found->size() != 2000 + static_cast<size_t>(key)) return 1;
        if (found->find_first_not_of(found->front()) != std::string::npos) return 2;  // from two writers
      }
      cache.store("key " + std::to_string(key), image(key, round));
    }
    return 0;
  };
  std::vector<pid_t> children;
  for (int process = 0; process < kProcesses; process++) {
    const pid_t child = ::fork();
    if (child == 0) ::_exit(work(process));
    children.push_back(child);
  }
  for (const pid_t child : children) {
    int status = 0;
    ::waitpid(child, &status, 0);
    EXPECT_TRUE(WIFEXITED(status));
    EXPECT_EQ(WEXITSTATUS(status), 0);
  }
  for (const auto& entry : fs::directory_iterator(folder_)) EXPECT_EQ(entry.path().extension(), ".kernel");
}

TEST(KernelCacheFolder, IsWhereTheUserWantsIt) {
  const Setting home("XDG_CACHE_HOME", "/somewhere");
  EXPECT_EQ(KernelCache::system().folder(), "/somewhere/lanewise/kernels");
}

}  // namespace
}  // namespace lanewise::gpu
