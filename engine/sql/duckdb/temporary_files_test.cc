#include "sql/duckdb/temporary_files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <random>
#include <thread>
#include <vector>

#include "base/spill_file.h"
#include "base/testing/temporary_folder.h"

namespace lanewise::sql {
namespace {

using duckdb::FileFlags;
using testing::AllOf;
using testing::HasSubstr;
using testing::ThrowsMessage;

constexpr size_t kBlock = 256 << 10;

class TemporaryFilesTest : public testing::Test {
 protected:
  TemporaryFilesTest() { budget_.spill_to(std::make_shared<SpillFile>(folder_.path().string())); }

  std::string block(size_t number) const {
    return folder_.path().string() + "/duckdb_temp_block-" + std::to_string(number) + ".block";
  }
  duckdb::unique_ptr<duckdb::FileHandle> open(const std::string& path) {
    return files_.OpenFile(
        path, FileFlags::FILE_FLAGS_READ | FileFlags::FILE_FLAGS_WRITE | FileFlags::FILE_FLAGS_FILE_CREATE);
  }
  void write(duckdb::FileHandle& file, size_t at, char with, size_t bytes = kBlock) {
    std::string text(bytes, with);
    files_.Write(file, text.data(), static_cast<int64_t>(bytes), at);
  }
  bool holds(duckdb::FileHandle& file, size_t at, char what, size_t bytes = kBlock) {
    std::string text(bytes, ' ');
    files_.Read(file, text.data(), static_cast<int64_t>(bytes), at);
    return static_cast<size_t>(std::ranges::count(text, what)) == bytes;
  }
  /// The size of the file without a name.
  size_t size_on_disk() const {
    for (const auto& file : std::filesystem::directory_iterator("/proc/self/fd")) {
      std::error_code failed;
      if (std::filesystem::read_symlink(file, failed).string().starts_with(folder_.path().string() + "/"))
        return std::filesystem::file_size(file);
    }
    return 0;
  }

  const TemporaryFolder folder_;
  MemoryBudget budget_;
  TemporaryFiles files_{budget_};
};

TEST_F(TemporaryFilesTest, KnowsItsNames) {
  const std::string folder = block(1).substr(0, block(1).rfind('/') + 1);
  EXPECT_TRUE(files_.CanHandleFile(folder + "duckdb_temp_storage_DEFAULT-0.tmp"));
  EXPECT_FALSE(files_.CanHandleFile("/elsewhere/duckdb_temp_storage_DEFAULT-0.tmp"));  // a user's file
  EXPECT_FALSE(files_.CanHandleFile("duckdb_temp_storage_S32K-12.tmp"));
  EXPECT_TRUE(files_.CanHandleFile(block(4611686018427387904)));
  EXPECT_FALSE(files_.CanHandleFile(folder + "rows.tmp"));
  EXPECT_FALSE(files_.CanHandleFile(folder + "duckdb_temp_block-1.parquet"));
  budget_.spill_to(nullptr);
  EXPECT_FALSE(files_.CanHandleFile(block(1)));
}

TEST_F(TemporaryFilesTest, HoldsFilesAndLeavesNothing) {
  EXPECT_FALSE(files_.FileExists(block(1)));
  EXPECT_EQ(files_.OpenFile(block(1), FileFlags::FILE_FLAGS_READ | FileFlags::FILE_FLAGS_NULL_IF_NOT_EXISTS),
            nullptr);
  EXPECT_THAT([&] { files_.OpenFile(block(1), FileFlags::FILE_FLAGS_READ); },
              ThrowsMessage<duckdb::IOException>(HasSubstr(block(1))));
  {
    const auto file = open(block(1)), other = open(block(2));
    write(*file, 0, 'a', 8);
    write(*file, 8, 'b', 8);
    write(*other, 0, 'o');
    write(*file, 16, 'c', 700'001);
    write(*file, 8, 'd', 8);
  }
  EXPECT_TRUE(files_.FileExists(block(1)));
  const auto file = files_.OpenFile(block(1), FileFlags::FILE_FLAGS_READ);
  EXPECT_TRUE(holds(*file, 0, 'a', 8));
  EXPECT_TRUE(holds(*file, 8, 'd', 8));
  EXPECT_TRUE(holds(*file, 16, 'c', 700'001));
  EXPECT_TRUE(holds(*file, 1000, 'c', 1000));
  EXPECT_EQ(files_.GetFileSize(*file), 700'017);
  EXPECT_THAT([&] { holds(*file, 700'000, 'c', 100); },
              ThrowsMessage<duckdb::IOException>(HasSubstr("ends early")));
  files_.RemoveFile(block(1));
  files_.RemoveFile(block(3));
  EXPECT_FALSE(files_.FileExists(block(1)));
  EXPECT_TRUE(files_.FileExists(block(2)));
  EXPECT_TRUE(std::filesystem::is_empty(folder_.path())) << "the file has no name";
}

TEST_F(TemporaryFilesTest, UsesRangesAgainAndCutsTheEnd) {
  const auto first = open(block(1)), second = open(block(2));
  for (size_t i = 0; i < 8; ++i) {
    write(*first, i * kBlock, static_cast<char>('a' + i));
    write(*second, i * kBlock, static_cast<char>('A' + i));
  }
  EXPECT_EQ(size_on_disk(), 16 * kBlock);
  files_.Truncate(*first, 3 * kBlock);
  EXPECT_EQ(files_.GetFileSize(*first), static_cast<int64_t>(3 * kBlock));
  EXPECT_EQ(size_on_disk(), 16 * kBlock);
  for (size_t i = 3; i < 8; ++i) write(*first, i * kBlock, 'x');
  EXPECT_EQ(size_on_disk(), 16 * kBlock);
  for (size_t i = 0; i < 8; ++i) {
    EXPECT_TRUE(holds(*first, i * kBlock, i < 3 ? static_cast<char>('a' + i) : 'x'));
    EXPECT_TRUE(holds(*second, i * kBlock, static_cast<char>('A' + i)));
  }
  files_.Truncate(*second, 0);
  files_.Truncate(*first, kBlock);
  EXPECT_EQ(size_on_disk(), kBlock);
  EXPECT_TRUE(holds(*first, 0, 'a'));
}

TEST_F(TemporaryFilesTest, ManyFilesOfManySizes) {
  std::mt19937 random(1);
  std::vector<std::pair<size_t, size_t>> held;  // number, bytes
  for (size_t i = 0; i < 5000; ++i) {           // more than a process may open
    const size_t bytes = 1 + random() % 20'000;
    write(*open(block(i)), 0, static_cast<char>(i % 128), bytes);
    held.emplace_back(i, bytes);
    if (i % 2 == 0) continue;
    std::swap(held[random() % held.size()], held.back());
    files_.RemoveFile(block(held.back().first));
    held.pop_back();
  }
  for (const auto& [number, bytes] : held) {
    ASSERT_TRUE(holds(*open(block(number)), 0, static_cast<char>(number % 128), bytes));
    files_.RemoveFile(block(number));
  }
  EXPECT_EQ(size_on_disk(), 0u);
}

TEST_F(TemporaryFilesTest, ServesThreads) {
  std::vector<std::thread> threads;
  const auto shared = open("duckdb_temp_storage_DEFAULT-0.tmp");
  for (size_t t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      for (size_t i = 0; i < 200; ++i) {
        const auto own = open(block(t));
        write(*own, 0, 'o', 1000 * (i + 1));
        write(*shared, t * kBlock, static_cast<char>('a' + t));
        EXPECT_TRUE(holds(*own, 0, 'o', 1000 * (i + 1)));
        EXPECT_TRUE(holds(*shared, t * kBlock, static_cast<char>('a' + t)));
        files_.RemoveFile(block(t));
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
}

TEST_F(TemporaryFilesTest, KeepsWhatAForkLetsGoOf) {
  const auto file = open(block(1));
  write(*file, 0, 'a');
  const pid_t child = ::fork();
  if (child == 0) {
    files_.Truncate(*file, 0);
    ::_exit(0);
  }
  int status = 1;
  ::waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
  EXPECT_TRUE(holds(*file, 0, 'a'));
}

TEST_F(TemporaryFilesTest, NamesTheFolder) {
  budget_.spill_to(std::make_shared<SpillFile>("/no/such/folder"));
  EXPECT_THAT([&] { open(block(1)); },
              ThrowsMessage<duckdb::IOException>(
                  AllOf(HasSubstr("'/no/such/folder': No such file"), HasSubstr("--temp-directory"))));
}

}  // namespace
}  // namespace lanewise::sql
