// Programs after sets of active processors have replaced waiting processors.
#include "pram/meta/meta.h"

#include <gtest/gtest.h>

#include "pram/library.h"
#include "pram/testing/random_program.h"

namespace lanewise::pram {
namespace {

std::string meta_of(const std::string& text, const Passes& passes = {}) {
  const Program program = Program::parse(text);
  std::string result;
  for (const MetaLine& line : print(compile(program.tree(), passes), program.tree())) {
    result += std::to_string(line.line) + ": " + line.text + "\n";
  }
  return result;
}

TEST(Meta, BranchesSplitAndLoopsNarrow) {
  EXPECT_EQ(meta_of("mode EREW\n"
                    "inout A[n] : int\n"
                    "processors n\n"
                    "private d = 1\n"
                    "while d < n {\n"
                    "  if p % (2 * d) == 0 {\n"
                    "    if p > 3 { A[p] = A[p] + A[p - 1] }\n"
                    "  } else {\n"
                    "    A[p] = -(d + 1)\n"
                    "  }\n"
                    "  d = 2 * d\n"
                    "}\n"),
            "3: T0 = all p < n\n"
            "4: for each p in T0: d = 1\n"
            "5: T1 = T0\n"
            "5: while T1 = {p in T1 : d < n} is not empty:\n"
            "6:   T3 = {p in T1 : p % (2 * d) == 0}\n"
            "6:   T2 = T1 without T3\n"
            "7:   T4 = {p in T3 : p > 3}\n"
            "7:   for all p in T4: A[p] = A[p] + A[p - 1]\n"
            "9:   for all p in T2: A[p] = -(d + 1)\n"
            "11:   for each p in T1: d = 2 * d\n");
}

TEST(Meta, WhatRunsOutsideOfBlocksIsTheHosts) {
  EXPECT_EQ(meta_of("mode CREW\n"
                    "output A[4, 4] : int\n"
                    "for k = 1 to 3 {\n"
                    "  processors i < 4, j < k + 1 { A[i, j] = max(i, (i + j) * k, 2) }\n"
                    "}\n"
                    "if A[0, 0] == 2 { A[0, 0], A[1, 1] = 1, 2 }\n"),
            "3: k = 1\n"
            "3: while k <= 3:\n"
            "4:   T0 = all i < 4, j < k + 1\n"
            "4:   for all i, j in T0: A[i, j] = max(max(i, (i + j) * k), 2)\n"
            "3:   k = k + 1\n"
            "6: if A[0, 0] == 2:\n"
            "6:   A[0, 0], A[1, 1] = 1, 2\n");
}

/// A set is read only after it was made, and the sets below the current one stay.
void check_sets(const std::vector<Meta>& list, uint32_t top) {
  for (const Meta& meta : list) {
    switch (meta.kind) {
      case Meta::Kind::kHost:
        break;
      case Meta::Kind::kHostIf:
      case Meta::Kind::kHostWhile:
      case Meta::Kind::kBatch:
        check_sets(meta.body, top);
        check_sets(meta.otherwise, top);
        break;
      case Meta::Kind::kAll:
        check_sets(meta.body, 0);
        break;
      case Meta::Kind::kKernel:
        EXPECT_EQ(meta.from, top);
        break;
      case Meta::Kind::kSplit:
      case Meta::Kind::kRepeat:
        EXPECT_EQ(meta.from, top);
        EXPECT_GT(meta.to, top);
        check_sets(meta.body, meta.to);
        if (meta.rest) {
          EXPECT_GT(*meta.rest, top);
          EXPECT_LT(*meta.rest, meta.to);
          check_sets(meta.otherwise, *meta.rest);
        }
        break;
    }
  }
}

/// Targets of assignments, and conditions.
struct Count {
  size_t targets = 0;
  size_t conditions = 0;
};
void count(const std::vector<Statement>& statements, Count& found) {
  walk(statements, [&](const Statement& one) {
    found.targets += one.targets.size();
    if (one.condition) ++found.conditions;
  });
}
void count(const std::vector<Meta>& list, Count& found) {
  for (const Meta& one : list) {
    if (one.condition) ++found.conditions;
    count(one.statements, found);
    count(one.body, found);
    count(one.otherwise, found);
  }
}

TEST(Meta, SetsAreAStackAndNothingIsLost) {
  for (uint64_t seed = 0; seed < 300; ++seed) {
    const Program program = Program::parse(RandomProgram(seed).text());
    const Tree& tree = program.tree();
    for (const Passes& passes : {Passes(), Passes(seed % (1 << passes().size())), all_passes()}) {
      const MetaProgram meta = compile(tree, passes);
      check_sets(meta.body, 0);
      Count made;
      Count given;
      count(meta.body, made);
      count(tree.body, given);
      EXPECT_EQ(made.targets, given.targets) << program.text();
      // A condition may go into several kernels.
      EXPECT_GE(made.conditions, given.conditions) << program.text();
    }
    EXPECT_TRUE(compile(tree, {}).notes.empty());
  }
}

TEST(Meta, ExplainShowsEveryLineOnce) {
  for (const LibraryProgram& program : library()) {
    const std::string text = explain(library_program(program.name));
    size_t at = 0;
    for (std::string_view rest = program.text; !rest.empty();) {
      const size_t end = std::min(rest.find('\n'), rest.size());
      const size_t found = text.find(rest.substr(0, end), at);
      ASSERT_NE(found, std::string::npos) << program.name << ": " << rest.substr(0, end);
      at = found + end;
      rest.remove_prefix(std::min(end + 1, rest.size()));
    }
    EXPECT_NE(text.find("| "), std::string::npos);
  }
}

}  // namespace
}  // namespace lanewise::pram
