#include "codegen/strategy.h"

#include <gtest/gtest.h>

#include "base/error.h"

namespace lanewise::codegen {
namespace strategy_test {

TEST(Strategies, AreNamed) {
  EXPECT_FALSE(parse_strategy("").refill_below);
  EXPECT_EQ(parse_strategy("naive").refill_below, 1U);
  const Strategy all = parse_strategy("refill=20,threads=128,automata,lists,occupancy");
  EXPECT_EQ(all.refill_below, 20U);
  EXPECT_EQ(all.threads, 128U);
  EXPECT_TRUE(all.automata);
  EXPECT_TRUE(all.lists);
  EXPECT_TRUE(all.occupancy);
  EXPECT_TRUE(parse_strategy("split").split);
  EXPECT_FALSE(all.split);
  EXPECT_FALSE(parse_strategy("lists").automata);
  EXPECT_FALSE(parse_strategy("lists").occupancy);
  EXPECT_EQ(parse_strategy("lists").groups, Strategy::Groups::kAuto);
  EXPECT_EQ(parse_strategy("groups=table").groups, Strategy::Groups::kTable);
  EXPECT_EQ(parse_strategy("groups=parts,lists").groups, Strategy::Groups::kParts);
  EXPECT_EQ(parse_strategy("join=ranks,pairs=mixed").pairs, Strategy::Pairs::kMixed);
}

TEST(Strategies, OthersAreRefused) {
  for (const char* names :
       {"fast", "refill", "refill=0", "refill=33", "refill=-1", "refill=1x", "threads=0", "threads=48",
        "threads=1024", "threads=", "naive,,lists", "groups", "groups=sorted", ",naive"})
    EXPECT_THROW(parse_strategy(names), UserError) << names;
}

}  // namespace strategy_test
}  // namespace lanewise::codegen
