// The executor: conflict modes with many writers and threads, sets in each form, errors as the interpreter
// reports them, limits.
#include "pram/executor/cpu.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/testing/test_size.h"
#include "pram/inputs/graph.h"
#include "pram/library.h"
#include "pram/testing/outcome.h"
#include "pram/testing/write_modes.h"

namespace lanewise::pram {
namespace {

using testing::HasSubstr;

constexpr ActiveForm kForms[] = {ActiveForm::kAuto, ActiveForm::kBitset, ActiveForm::kList};

/// The same outputs on the interpreter and on the executor, with and without passes and checks, on one and
/// three threads.
void expect_same(const Program& program, const Arrays& inputs) {
  Options options;
  options.seed = 7;
  const Arrays expected = run(program, inputs, options).outputs;
  options.executor = Executor::kCpu;
  for (const ActiveForm form : kForms) {
    for (const int threads : {1, 3}) {
      options.active = form;
      options.threads = threads;
      EXPECT_TRUE(run(program, inputs, options).outputs == expected) << program.text();
      Options plain = options;
      plain.passes = {};
      EXPECT_TRUE(run(program, inputs, plain).outputs == expected) << program.text();
      plain.check = true;
      EXPECT_TRUE(run(program, inputs, plain).outputs == expected) << program.text();
    }
  }
}

TEST(Cpu, ResolvesWritesAsEachModeSays) {
  for (const auto& [program, inputs] : programs_of_each_mode(test_size<int64_t>(8'300, 12'000)))
    expect_same(program, inputs);
}

TEST(Cpu, VariablesCombineInTheirOwnWay) {
  const Program program = Program::parse(
      "mode CRCW combining + input A[n] : int output sum : int output least[7] : int combining min\n"
      "output both[3] : int = -5 combining xor output r : real combining max processors n\n"
      "sum = A[p]\nleast[A[p] % 7] = A[p]\nboth[A[p] % 3], sum = A[p], p\nr = A[p] / 4.0\n");
  expect_same(program, {{"A", numbers(test_size<int64_t>(2'100, 9'000), 1000)}});
  const Arrays found = run(program, {{"A", ints({15, 8, 22})}}).outputs;
  EXPECT_EQ(found.at("least").words[1], 8);
  EXPECT_EQ(found.at("sum").words[0], 3);
  EXPECT_EQ(found.at("both").words, (std::vector<Word>{15, 22, 8}));
  EXPECT_EQ(real_of(found.at("r").words[0]), 5.5);
}

TEST(Cpu, InARaceSomeWriterWins) {
  const Program program = Program::parse(
      "mode CRCW arbitrary input A[n] : int output C[10] : int = -1 output x : int processors n\n"
      "C[A[p]] = p\nx = p\n");
  const Array cells = numbers(10'000, 9);
  Options options;
  options.executor = Executor::kCpu;
  options.threads = 3;
  options.race = true;
  const Arrays found = run(program, {{"A", cells}}, options).outputs;
  for (size_t i = 0; i < 9; ++i) {
    const auto winner = static_cast<size_t>(found.at("C").words[i]);
    ASSERT_LT(winner, cells.words.size());
    EXPECT_EQ(cells.words[winner], static_cast<Word>(i));
  }
  EXPECT_EQ(found.at("C").words[9], -1);
  EXPECT_LT(static_cast<uint64_t>(found.at("x").words[0]), cells.words.size());
}

TEST(Cpu, SumsOfWhichAPartOverflowsAreCombinedInOrder) {
  const Program program =
      Program::parse("mode CRCW combining + input A[n] : int output x : int processors n x = A[p]");
  std::vector<int64_t> values(5'000, 1);
  values[0] = INT64_MAX - 10;
  values[1] = -100'000;
  expect_same(program, {{"A", ints(values)}});
  Options options;
  options.executor = Executor::kCpu;
  values[1] = 1;
  EXPECT_THROW(run(program, {{"A", ints(values)}}, options), RunError);
}

TEST(Cpu, LibraryProgramsGiveTheSame) {
  const auto n = test_size<int64_t>(100, 3'000);
  for (const char* name : {"reduction", "scan", "exclusive_scan", "sort"}) {
    expect_same(library_program(name), {{"A", numbers(n, 1000)}});
  }
  expect_same(library_program("maximum"), {{"A", numbers(150, 1000)}});
  Arrays graph = graph_inputs(graph::random_graph(n, n, 3));
  expect_same(library_program("spanning_forest"), graph);
  graph.erase("weight");
  expect_same(library_program("components"), graph);
  graph["root"] = scalar(0);
  expect_same(library_program("breadth_first_search"), graph);
}

TEST(Cpu, ReportsAsTheInterpreterDoes) {
  const std::string head = "mode CREW input A[n] : int output C[n] : int output x : int\nprocessors n\n";
  const Arrays inputs = {{"A", numbers(20'000, 1000)}};
  for (const char* body :
       {"private a = p\na = a + 1\nif p > 3 { C[p] = 100 / (p - 9'000) }\n",
        "while C[p] < 5 { C[p] = C[p] + A[p + 1] % 2 + 1 }\n", "private d = 1\nwhile true { d = 2 * d }\n",
        "C[0], C[p] = 1, 2\n", "x = int32(A[0] * 9'999'999'999)\n"}) {
    std::string text = head + body;
    std::erase(text, '\'');
    const Program program = Program::parse(text);
    std::string expected;
    try {
      run(program, inputs);
    } catch (const RunError& error) {
      expected = error.what();
    }
    ASSERT_FALSE(expected.empty()) << body;
    Options options;
    options.executor = Executor::kCpu;
    options.threads = 2;
    for (const bool check : {false, true}) {
      options.check = check;
      try {
        run(program, inputs, options);
        ADD_FAILURE() << body;
      } catch (const RunError& error) {
        EXPECT_EQ(error.what(), expected);
      }
    }
  }
}

TEST(Cpu, FindsConflictsWhereAsked) {
  const struct {
    const char* text;
    const char* error;
  } kCases[] = {
      {"mode EREW output C[n] : int processors n C[p] = A[p / 2]", "both read A[0]"},
      {"mode EREW output C[n] : int processors n if A[0] == p { C[p] = 1 }", "both read A[0]"},
      {"mode CREW output C[n] : int processors n C[p / 2] = 1", "both write C[0]"},
      {"mode CRCW common output C[n] : int processors n C[p / 2] = p", "write different values to C[0]"},
  };
  Options options;
  options.executor = Executor::kCpu;
  options.check = true;
  for (const auto& one : kCases) {
    std::string text = one.text;
    text.insert(text.find(" output"), " input A[n] : int");
    for (const int64_t n : {2, 9'000}) {
      try {
        run(Program::parse(text), {{"A", numbers(n, 10)}}, options);
        ADD_FAILURE() << text;
      } catch (const ConflictError& error) {
        EXPECT_THAT(error.what(), HasSubstr(one.error));
      }
    }
  }
}

TEST(Cpu, EndlessLoopsEnd) {
  Options options;
  options.executor = Executor::kCpu;
  options.max_steps = 1'000;
  for (const char* text :
       {"mode EREW output x : int while x == 0 { x = 0 }",
        "mode CREW output C[9] : int processors 9 while C[p] == 0 { C[p] = 0 }",
        "mode CREW output C[9] : int processors 9 while C[8 - p] < 9 { C[p] = C[8 - p] / 2 }"}) {
    try {
      run(Program::parse(text), {}, options);
      ADD_FAILURE() << text;
    } catch (const RunError& error) {
      EXPECT_THAT(error.what(), HasSubstr("has not ended after 1000 steps"));
    }
  }
  options.max_steps = 100'000;  // of all loops of a kernel together
  EXPECT_THAT(outcome_of([&] { return run(Program::parse(kLoopsInAnEndlessOne), {}, options); }).error,
              HasSubstr("has not ended after 100000 steps"));
  Cancellation cancellation;
  cancellation.cancel();
  options.cancellation = &cancellation;
  EXPECT_THROW(run(library_program("reduction"), {{"A", numbers(10, 10)}}, options), CancelledError);
}

TEST(Cpu, AsksTheBudget) {
  MemoryBudget budget(1 << 20);
  Options options;
  options.executor = Executor::kCpu;
  options.budget = &budget;
  EXPECT_THROW(run(library_program("scan"), {{"A", numbers(60'000, 10)}}, options), MemoryError);
}

TEST(Cpu, CountsItsKernels) {
  const Program program = Program::parse(
      "mode CREW input n : int output A[n] : int output B[n] : int\nprocessors n\n"
      "if p % 2 == 0 {\nA[p] = A[n - 1 - p]\nB[p] = A[n - 1 - p]\n}\n");
  Options options;
  options.executor = Executor::kCpu;
  options.passes = {};
  options.active = ActiveForm::kList;
  const std::vector<KernelCost> costs = run(program, {{"n", scalar(1'000)}}, options).kernels;
  ASSERT_EQ(costs.size(), 3u);
  EXPECT_EQ(costs[0].line, 3u);
  EXPECT_EQ(costs[0].processors, 1'000u);
  EXPECT_EQ(costs[0].lists, 0u);
  EXPECT_EQ(costs[1].processors, 500u);
  EXPECT_EQ(costs[1].lists, 1u);
  EXPECT_EQ(costs[2].launches, 1u);
  EXPECT_EQ(costs[1].lanes, 500u);
  EXPECT_EQ(costs[1].bytes, 500u * 48);  // a cell, its value, its number, both read again, the cell written
}

}  // namespace
}  // namespace lanewise::pram
