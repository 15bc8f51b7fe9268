// Programs on devices: conflict modes with many writers, sets in each form, errors as the interpreter reports
// them, limits.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "base/random.h"
#include "base/testing/test_size.h"
#include "pram/gpu/run.h"
#include "pram/inputs/graph.h"
#include "pram/library.h"
#include "pram/testing/backends.h"
#include "pram/testing/outcome.h"
#include "pram/testing/write_modes.h"

namespace lanewise::pram {
namespace {

using testing::HasSubstr;

class OnDevice : public testing::TestWithParam<Executor> {
 protected:
  void SetUp() override {
    std::string why;
    if (backend_of(GetParam(), LANEWISE_SOURCE_DIR, why) == nullptr) GTEST_SKIP() << why;
    options_.executor = GetParam();
    options_.seed = 7;
  }

  /// The same outputs as the interpreter's, with and without passes and checks.
  void expect_same(const Program& program, const Arrays& inputs) {
    Options plain;
    plain.seed = 7;
    const Arrays expected = run(program, inputs, plain).outputs;
    const struct {
      Passes passes;
      ActiveForm active;
      bool check;
      bool other;
    } kWays[] = {
        {all_passes(), ActiveForm::kAuto, false, false},
        {{}, ActiveForm::kList, false, true},
        {{}, ActiveForm::kBitset, true, false},
    };
    for (const auto& way : kWays) {
      Options options = options_;
      options.passes = way.passes;
      options.active = way.active;
      options.check = way.check;
      options.specialise = options.graphs = way.other;
      EXPECT_TRUE(run(program, inputs, options).outputs == expected) << program.text();
    }
  }

  Options options_;
};

TEST_P(OnDevice, ResolvesWritesAsEachModeSays) {
  for (const auto& [program, inputs] : programs_of_each_mode(test_size<int64_t>(300, 5'000)))
    expect_same(program, inputs);
}

TEST_P(OnDevice, VariablesCombineInTheirOwnWay) {
  expect_same(
      Program::parse(
          "mode CRCW combining + input A[n] : int output sum : int output least[7] : int combining min\n"
          "output both[3] : int = -5 combining xor processors n\n"
          "sum = A[p]\nleast[A[p] % 7] = A[p]\nboth[A[p] % 3], sum = A[p], p\n"),
      {{"A", numbers(test_size<int64_t>(300, 2'000), 1000)}});
}

TEST_P(OnDevice, CombinesInTheOrderOfTheTree) {
  const Program sum = Program::parse(
      "mode CRCW combining + input A[n] : int output S : int output T[2] : int processors n\n"
      "if A[p] != 0 { S = A[p] }\nT[p % 2], T[(p + 1) % 2] = p, A[p] / 2");
  constexpr int64_t kMost = std::numeric_limits<int64_t>::max();
  // From left to right they would overflow, pairwise they do not; in reverse order.
  expect_same(sum, {{"A", ints({kMost - 5, -7, 0, 7, -9, 4, 5, kMost / 2, 1 - kMost / 2})}});
  const Arrays bad = {{"A", ints({kMost - 5, 7, -9, 4, 0})}};
  std::string expected;
  try {
    run(sum, bad, {});
  } catch (const UserError& error) {
    expected = error.what();
  }
  EXPECT_THAT(expected, HasSubstr("overflow"));
  try {
    run(sum, bad, options_);
    FAIL();
  } catch (const UserError& error) {
    EXPECT_EQ(error.what(), expected);
  }
  const Program products = Program::parse(
      "mode CRCW combining * input A[n] : real output P[3] : real output s : int32 combining +\nprocessors "
      "n\n"
      "P[p % 3], P[(p + 1) % 3] = A[p], A[p] / 3 + 1\ns = int32(p % 5)\nif p % 2 == 0 { P[p % 3] = 1 / A[p] "
      "}\n");
  for (const int n : {1, 2, 3, 33, 255, 256, 257, test_size(300, 3'000)}) {
    std::vector<double> values;
    for (int i = 0; i < n; ++i) values.push_back(0.7 + i % 7 * 0.1);
    expect_same(products, {{"A", reals(values)}});
  }
}

TEST_P(OnDevice, OperatorsGiveTheSameBits) {
  expect_same(Program::parse(
                  "mode CREW input A[n] : int input R[n] : real output I[n, 12] : int output F[n, 10] : "
                  "real output B[n] : bool processors n\n"
                  "private s : int32 = int32(A[p] % 1000)\n"
                  "private x = R[p]\nprivate y = R[(p + 1) % n]\n"
                  "I[p, 0], I[p, 1], I[p, 2] = A[p] / 7, A[p] % -7, abs(A[p])\n"
                  "I[p, 3], I[p, 4], I[p, 5] = log2(abs(A[p]) + 1), shift_left(p, 3), shift_right(A[p], 2)\n"
                  "I[p, 6], I[p, 7], I[p, 8] = xor(A[p], p), bit_and(A[p], 255), bit_or(A[p], p)\n"
                  "I[p, 9], I[p, 10], I[p, 11] = -A[p], int(x * 100.5), s * s - s\n"
                  "F[p, 0], F[p, 1], F[p, 2], F[p, 3] = x + y, x - y, x * y, x / y\n"
                  "F[p, 4], F[p, 5] = sqrt(abs(x)), floor(x * 3.7)\nF[p, 6] = ceil(x * 3.7)\n"
                  "F[p, 7], F[p, 8], F[p, 9] = min(x, y), max(x, -y), x * y + x * 0.1\n"
                  "B[p] = not (x < y) and (x >= 0.0 or A[p] != 3)\n"),
              {{"A", numbers(test_size<int64_t>(40, 700), 100'000)},
               {"R", [] {
                  std::vector<double> values;
                  Random random(3);
                  for (int i = 0; i < test_size(40, 700); ++i) {
                    values.push_back((static_cast<double>(random.below(1'000'003)) - 500'000) / 777);
                  }
                  return reals(values);
                }()}});
}

TEST_P(OnDevice, BatchesGiveTheSameInEachShape) {
  // Few processors: one group. Many: windows of the tree and then one group; groups that wait for each other.
  for (const int64_t n : {0, 1, 2, 33, 1'000, 2'048, 2'049, 4'097, test_size(5'000, 70'000)}) {
    const Arrays inputs = {{"A", numbers(n, 1000)}};
    expect_same(library_program("reduction"), inputs);
    expect_same(library_program("scan"), inputs);
    if (n < 5'000 || GetParam() == Executor::kCuda) expect_same(library_program("doubling_scan"), inputs);
  }
  // An error in a step is reported as usual.
  const Program program = Program::parse(
      "mode EREW inout A[n] : int output s : int processors n { A[p] = A[p] + 1 }\n"
      "private d = 1\nwhile d < n { processors n / (2 * d) { A[2 * d * p] = A[2 * d * p] * A[2 * d * p + d] "
      "}\n"
      "d = 2 * d }\ns = A[0]");
  for (const int64_t n : {100, 10'000}) {
    try {
      run(program, {{"A", numbers(n, 1000)}}, options_);
      FAIL();
    } catch (const UserError& error) {
      EXPECT_THAT(error.what(), HasSubstr("overflows int"));
    }
  }
}

TEST_P(OnDevice, WindowsHoldWhatTheirGroupsUse) {
  // Three variables held, one of them not filled by its first step; one written once, one only read; a
  // private variable that lives from step to step; a variable that outlives the batch.
  const Program program = Program::parse(
      "mode EREW input A[n] : int output S[n] : int output T[n] : int output sum : int\n"
      "shared B[n + 9] : int = 3 shared C[n + 3] : int = 5 shared D[n] : int\n"
      "processors n { B[p] = A[p]\nif p % 3 == 0 { C[p] = 7 } }\n"
      "private d = 1 while d <= 64 {\n"
      "processors n / (2 * d) {\nprivate at = 2 * d * p + d\n"
      "B[at - d], B[at] = B[at] + C[at], B[at - d] - 1\nC[at] = C[at] + D[at - d] + at\nD[at] = D[at] + 1 }\n"
      "d = 2 * d }\n"
      "processors n { private own = B[p]\nprivate k = 0\nwhile k < 2 { own = own + C[p]\nC[p] = own\nk = k + "
      "1 }\n"
      "S[p] = own }\n"
      "processors n { T[p] = C[p] + D[p] }\n"
      "if n > 2 { sum = B[2] + S[1] }");
  for (const int64_t n : {1, 2'049, 4'100, 9'999, test_size(10'000, 70'000)}) {
    expect_same(program, {{"A", numbers(n, 1000)}});
  }
  // Some cells are out of range: only those processors fail, with the message of the first.
  const Program bad = Program::parse(
      "mode EREW inout A[n] : int shared B[2 * n - 5] : int processors n { B[2 * p] = A[p] }\n"
      "for k = 1 to 3 { processors n { B[2 * p] = B[2 * p] + k } }\nprocessors n - 5 { A[p] = B[2 * p] }");
  EXPECT_THAT(outcome_of([&] { return run(bad, {{"A", numbers(9'000, 9)}}, options_); }).error,
              HasSubstr("[17996] is out of range: 'B' has 17995 cells"));
}

TEST_P(OnDevice, BatchesLeaveNobodyOut) {
  // Cells so far apart that, multiplied by the processors, their numbers exceed 64 bits.
  const Program program = Program::parse(
      "mode EREW inout A[n] : int processors n\nfor k = 1 to 3 { A[4503599627370496 * p] = k }\n"
      "for k = 1 to 3 { A[p] = A[p] + k }\n");
  try {
    run(program, {{"A", numbers(8'192, 1000)}}, options_);
    FAIL();
  } catch (const UserError& error) {
    EXPECT_THAT(error.what(), HasSubstr("[4503599627370496] is out of range"));
  }
}

TEST_P(OnDevice, LibraryProgramsGiveTheSame) {
  const auto n = test_size<int64_t>(60, 1'000);
  Arrays graph = graph_inputs(graph::random_graph(n, n, 3));
  const char* const names[] = {"sort", "components",     "reduction",
                               "scan", "exclusive_scan", "spanning_forest"};
  // Compilers for cores take some tenths of a second for a kernel.
  const size_t count = GetParam() == Executor::kCuda ? std::size(names) : test_size<size_t>(1, 2, 6);
  for (size_t i = 0; i < count; ++i) {
    const Program program = library_program(names[i]);
    Arrays inputs = {{"A", numbers(n, 1000)}};
    if (program.tree().parameters[0].kind == Parameter::Kind::kInput) {
      inputs = graph;
      if (names[i] == std::string("components")) inputs.erase("weight");
    }
    expect_same(program, inputs);
  }
}

TEST_P(OnDevice, ReportsAsTheInterpreterDoes) {
  const std::string head = "mode CREW input A[n] : int output C[n] : int output x : int\nprocessors n\n";
  const Arrays inputs = {{"A", numbers(2'000, 1000)}};
  for (const char* body :
       {"private a = p\na = a + 1\nif p > 3 { C[p] = 100 / (p - 900) }\n",
        "while C[p] < 5 { C[p] = C[p] + A[p + 1] % 2 + 1 }\n", "private d = 1\nwhile true { d = 2 * d }\n",
        "C[0], C[p] = 1, 2\n", "x = int32(A[0] * 9999999999)\n", "C[p] = 9223372036854775000 + p\n"}) {
    const Program program = Program::parse(head + body);
    const Outcome expected = outcome_of([&] { return run(program, inputs); });
    ASSERT_FALSE(expected.error.empty()) << body;
    for (const bool check : {false, true}) {
      options_.check = check;
      EXPECT_EQ(outcome_of([&] { return run(program, inputs, options_); }).error, expected.error);
    }
  }
}

TEST_P(OnDevice, FindsConflictsWhereAsked) {
  const struct {
    const char* text;
    const char* error;
  } kCases[] = {
      {"mode EREW output C[n] : int processors n C[p] = A[p / 2]", "both read A[0]"},
      {"mode EREW output C[n] : int processors n if A[0] == p { C[p] = 1 }", "both read A[0]"},
      {"mode CREW output C[n] : int processors n C[p / 2] = 1", "both write C[0]"},
      {"mode CRCW common output C[n] : int processors n C[p / 2] = p", "write different values to C[0]"},
  };
  options_.check = true;
  for (const auto& one : kCases) {
    std::string text = one.text;
    text.insert(text.find(" output"), " input A[n] : int");
    const Outcome found =
        outcome_of([&] { return run(Program::parse(text), {{"A", numbers(900, 10)}}, options_); });
    EXPECT_TRUE(found.conflict);
    EXPECT_THAT(found.error, HasSubstr(one.error));
  }
}

TEST_P(OnDevice, InARaceSomeWriterWins) {
  const Program program = Program::parse(
      "mode CRCW arbitrary input A[n] : int output C[10] : int = -1 processors n\nC[A[p]] = p\n");
  const Array cells = numbers(3'000, 9);
  options_.race = true;
  const Arrays found = run(program, {{"A", cells}}, options_).outputs;
  for (size_t i = 0; i < 9; ++i) {
    const auto winner = static_cast<size_t>(found.at("C").words[i]);
    ASSERT_LT(winner, cells.words.size());
    EXPECT_EQ(cells.words[winner], static_cast<Word>(i));
  }
  EXPECT_EQ(found.at("C").words[9], -1);
}

TEST_P(OnDevice, HasLimits) {
  options_.max_steps = 100;
  for (const char* text :
       {"mode EREW output x : int while x == 0 { x = 0 }",
        "mode CREW output C[9] : int processors 9 while C[p] == 0 { C[p] = 0 }",
        "mode CREW output C[9] : int processors 9 while C[8 - p] < 9 { C[p] = C[8 - p] / 2 }"}) {
    EXPECT_THAT(outcome_of([&] { return run(Program::parse(text), {}, options_); }).error,
                HasSubstr("has not ended after 100 steps"));
  }
  options_.max_steps = 100'000;  // of all loops of a kernel together
  EXPECT_THAT(outcome_of([&] { return run(Program::parse(kLoopsInAnEndlessOne), {}, options_); }).error,
              HasSubstr("has not ended after 100000 steps"));
  Cancellation cancellation;
  cancellation.cancel();
  options_.cancellation = &cancellation;
  EXPECT_THROW(run(library_program("reduction"), {{"A", numbers(10, 10)}}, options_), CancelledError);
  options_.cancellation = nullptr;
  MemoryBudget budget(1 << 18);
  options_.budget = &budget;
  EXPECT_THROW(run(library_program("scan"), {{"A", numbers(20'000, 10)}}, options_), MemoryError);
}

TEST_P(OnDevice, RoundsOfTheSameKernelsAreLaunchedAgain) {
  const Program program = Program::parse(
      "mode CREW inout A[n] : int shared round : int processors n {\n"
      "while round < 40 { A[p] = A[n - 1 - p] + A[(p + 1) % n] % 7\nA[p] = A[(p + 3) % n] - 1\n"
      "if p == 0 { round = round + 1 } } }");
  const Arrays inputs = {{"A", numbers(3'000, 1000)}};
  const Arrays expected = run(program, inputs).outputs;
  for (const bool graphs : {false, true}) {
    options_.graphs = graphs;
    EXPECT_TRUE(run(program, inputs, options_).outputs == expected);
  }
}

TEST_P(OnDevice, CountsItsKernels) {
  const Program program = Program::parse(
      "mode CREW input n : int output A[n] : int output B[n] : int\nprocessors n\n"
      "if p % 2 == 0 {\nA[p] = A[n - 1 - p]\nB[p] = A[n - 1 - p]\n}\n");
  options_.passes = {};
  options_.active = ActiveForm::kList;
  options_.time_kernels = true;
  const std::vector<KernelCost> costs = run(program, {{"n", scalar(1'000)}}, options_).kernels;
  ASSERT_EQ(costs.size(), 3u);
  EXPECT_EQ(costs[0].processors, 1'000u);
  EXPECT_EQ(costs[1].processors, 500u);
  EXPECT_EQ(costs[1].lists, 1u);
  EXPECT_GT(costs[1].seconds, 0);
  EXPECT_EQ(costs[0].lanes, 1'024u);
  EXPECT_EQ(costs[1].lanes, 512u);
  EXPECT_DOUBLE_EQ(costs[1].occupancy(), 500.0 / 512);
  EXPECT_EQ(costs[1].bytes, 500u * 48);  // a cell, its value, its number, both read again, the cell written
}

INSTANTIATE_TEST_SUITE_P(Devices, OnDevice, testing::Values(Executor::kCuda, Executor::kOpenCl), device_name);

}  // namespace
}  // namespace lanewise::pram
