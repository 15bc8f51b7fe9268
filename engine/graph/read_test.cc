// What graph files may contain, and the messages for malformed ones.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "graph/graph.h"

namespace lanewise::graph {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::string failure(const std::string& text, MemoryBudget* budget = nullptr) {
  try {
    read_graph(text, "a.mtx", budget);
    return "";
  } catch (const UserError& error) {
    return error.what();
  }
}

TEST(ReadGraph, TakesABannerInAnyCase) {
  for (const char* banner : {"%%MatrixMarket matrix coordinate integer skew-symmetric",
                             "%%MATRIXMARKET MATRIX COORDINATE INTEGER SKEW-SYMMETRIC",
                             "%%matrixmarket  matrix\tcoordinate Integer Skew-Symmetric \r"}) {
    const Graph graph = read_graph(std::string(banner) + "\n3 3 1\n2 1 5\n", "a.mtx");
    EXPECT_EQ(graph.vertices, 3);
    EXPECT_THAT(graph.source, ElementsAre(1, 0));
    EXPECT_THAT(graph.target, ElementsAre(0, 1));
    EXPECT_THAT(graph.weight, ElementsAre(5, -5));
  }
}

TEST(ReadGraph, StopsAtMoreVerticesThanTheBudgetHas) {
  const std::string head = "%%MatrixMarket matrix coordinate pattern general\n";
  MemoryBudget budget(size_t{100} << 20);
  EXPECT_EQ(failure(head + "3000000000 1 1\n1 1\n", &budget),
            "a.mtx:2: 3000000000 vertices need 22.4 GiB of memory; the limit is 100 MiB (--memory-limit)");
  EXPECT_THAT(failure(head + "1 9223372036854775807 1\n1 1\n", &budget), HasSubstr("a.mtx:2: "));
  EXPECT_EQ(failure(head + "3000000000 1 1\n1 1\n"), "");
  EXPECT_EQ(failure(head + "13000000 1 1\n1 1\n", &budget), "");
}

TEST(ReadGraph, StopsAtMoreEdgesThanTheBudgetHas) {
  MemoryBudget budget(size_t{1} << 20);
  std::string edges,
      neighbours = "1 :", matrix = "%%MatrixMarket matrix coordinate pattern general\n2 2 50000\n";
  for (int i = 0; i < 50'000; ++i) {
    edges += "1 2\n";
    neighbours += " 2";
    matrix += "1 2\n";
  }
  for (const std::string& text : {edges, neighbours, matrix}) {
    EXPECT_THAT(failure(text, &budget), HasSubstr("the memory limit of 1 MiB"));
    EXPECT_EQ(failure(text), "");
  }
  EXPECT_EQ(budget.used(), 0u);
}

}  // namespace
}  // namespace lanewise::graph
