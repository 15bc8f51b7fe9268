#include "input/read_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <functional>

#include "base/error.h"

namespace lanewise::cli {
namespace {

std::string read_back(const std::string& text) {
  // Tests run in parallel, so each has its own file.
  const std::string path = testing::TempDir() + testing::UnitTest::GetInstance()->current_test_info()->name();
  std::ofstream(path, std::ios::binary) << text;
  const std::string read = read_file(path);
  std::filesystem::remove(path);
  return read;
}

template <class Read>
std::string failure(Read read, const std::string& path) {
  try {
    read(path);
    return "";
  } catch (const UserError& error) {
    return error.what();
  }
}

TEST(ReadFile, GivesEveryByte) {
  const std::string with_nul("a\0\r\n\xFF", 5);
  const std::string large(200'001, 'x');
  for (const std::string& text : {std::string(), with_nul, large}) EXPECT_EQ(read_back(text), text);
}

TEST(ReadFile, DropsOneByteOrderMark) {
  EXPECT_EQ(read_back("\xEF\xBB\xBF"
                      "1 2\n"),
            "1 2\n");
  EXPECT_EQ(read_back("\xEF\xBB\xBF\xEF\xBB\xBF"), "\xEF\xBB\xBF");
  EXPECT_EQ(read_back("\xEF\xBB"), "\xEF\xBB");
  EXPECT_EQ(read_back("1\xEF\xBB\xBF"), "1\xEF\xBB\xBF");
}

TEST(ReadFile, NamesWhatCannotBeRead) {
  for (const auto& read : {std::function<void(const std::string&)>(read_file), {require_file}}) {
    EXPECT_EQ(failure(read, "/"), "cannot read '/': Is a directory");
    EXPECT_EQ(failure(read, "/missing/file"), "cannot read '/missing/file': No such file or directory");
  }
  EXPECT_EQ(failure(require_file, "/dev/null"), "");
}

}  // namespace
}  // namespace lanewise::cli
