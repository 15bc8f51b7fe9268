#include "pram/edge_table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <memory>

#include "base/error.h"

namespace lanewise::cli::pram_command {
namespace {

using testing::ElementsAre;
using testing::EndsWith;
using testing::HasSubstr;

graph::Graph read(const std::string& text, size_t limit = SIZE_MAX) {
  // Tests run in parallel, so each has its own file.
  const std::string path =
      testing::TempDir() + testing::UnitTest::GetInstance()->current_test_info()->name() + ".csv";
  std::ofstream(path, std::ios::binary) << text;
  const auto removed = std::shared_ptr<void>(nullptr, [&](void*) { std::filesystem::remove(path); });
  MemoryBudget budget(limit);
  return read_edge_table(path, budget);
}

std::string failure(const std::string& text, size_t limit = SIZE_MAX) {
  try {
    read(text, limit);
    return "";
  } catch (const UserError& error) {
    return error.what();
  }
}

TEST(WholeNumber, MayBeWrittenAsADouble) {
  for (const char* one : {"1", "1.0", "+1", " 1\t", "1.000", "1e0", "0.1e1", "0.001E+3"}) {
    EXPECT_EQ(whole_number(one), 1) << one;
  }
  EXPECT_EQ(whole_number("-9223372036854775808.0"), INT64_MIN);
  EXPECT_EQ(whole_number("9007199254740993.0"), 9007199254740993);
  EXPECT_EQ(whole_number("9.007199254740993e15"), 9007199254740993);
  for (const char* none : {"",
                           "x",
                           "1.5",
                           "0.5",
                           "-0.5",
                           "1.",
                           ".",
                           "-",
                           "e5",
                           "-e5",
                           ".e5",
                           "1e",
                           "1e300",
                           "1e-1",
                           "1e2000000000",
                           "9223372036854775808",
                           "1.0x",
                           "1.0.0",
                           "1 2",
                           "+-1",
                           "--1",
                           "nan",
                           "inf",
                           "0x1"}) {
    EXPECT_EQ(whole_number(none), std::nullopt) << none;
  }
}

TEST(EdgeTable, ReadsColumnsByName) {
  const graph::Graph graph = read("DST;weight;Src;note\n20;0.5;10.0;a\n10;2;30;\n");
  EXPECT_THAT(graph.labels, ElementsAre(10, 20, 30));
  EXPECT_THAT(graph.source, ElementsAre(0, 2));
  EXPECT_THAT(graph.target, ElementsAre(1, 0));
  EXPECT_THAT(graph.weight, ElementsAre(0.5, 2));
}

TEST(EdgeTable, NamesTheLine) {
  EXPECT_THAT(failure("src,dst\n1,2\n\n0.5,2\n"), EndsWith(".csv:4: expected an integer, found '0.5'"));
  EXPECT_THAT(failure("src,dst,note\n1,2,\"two\nlines\"\n1,x,\n"),
              EndsWith(".csv:4: expected an integer, found 'x'"));
  EXPECT_THAT(failure("src,dst,weight\n1,2,3\n1,2,much\n"),
              EndsWith(".csv:3: expected a number, found 'much'"));
  EXPECT_THAT(failure("src,dst\n1,2\n1,\n"), EndsWith(".csv:3: dst is NULL"));
  EXPECT_THAT(failure("a,dst\n1,2\n"), EndsWith(".csv' has no column 'src'; it has a, dst"));
}

TEST(EdgeTable, KeepsToTheBudget) {
  std::string text = "src,dst\n";
  for (int i = 0; i < 50'000; ++i) text += "1,2\n";
  EXPECT_THAT(failure(text, size_t{1} << 20), HasSubstr("the memory limit of 1 MiB"));
  EXPECT_EQ(failure(text), "");
}

}  // namespace
}  // namespace lanewise::cli::pram_command
