// Whole programs as one kernel of one group: results, limits, and programs that do not fit.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "base/testing/test_size.h"
#include "pram/executor/observer.h"
#include "pram/gpu/run.h"
#include "pram/library.h"
#include "pram/testing/backends.h"
#include "pram/testing/bench_inputs.h"
#include "pram/testing/outcome.h"
#include "pram/testing/write_modes.h"

namespace lanewise::pram {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;

class NoObserver : public KernelObserver {
 public:
  void begin(const Memory& /*memory*/) override {}
  void begin_block(uint32_t /*block*/, uint32_t /*processors*/, const MetaProgram& /*meta*/) override {}
  void ran(const Unit& /*unit*/, uint32_t /*active*/, const Memory& /*memory*/,
           const Columns& /*columns*/) override {}
};

class OneGroupOnDevice : public testing::TestWithParam<Executor> {
 protected:
  void SetUp() override {
    std::string why;
    const Backend* const backend = backend_of(GetParam(), LANEWISE_SOURCE_DIR, why);
    if (backend == nullptr) GTEST_SKIP() << why;
    options_.executor = GetParam();
    options_.seed = 7;
    options_.one_group = true;
    if (backend->no_group().empty()) return;
    EXPECT_EQ(error_of("mode EREW output x : int x = 1"), backend->no_group());
    GTEST_SKIP() << backend->no_group();
  }

  /// The interpreter's outputs or error, or the error for programs that do not fit. Returns true if it ran.
  bool runs_or_is_refused(const Program& program, const Arrays& inputs) {
    try {
      const Outcome found = outcome_of([&] { return run(program, inputs, options_); });
      Options plain;
      plain.seed = options_.seed;
      const Outcome expected = outcome_of([&] { return run(program, inputs, plain); });
      EXPECT_EQ(found.error, expected.error) << program.text();
      EXPECT_TRUE(with_one_nan(found.outputs) == with_one_nan(expected.outputs)) << program.text();
      return true;
    } catch (const UserError& error) {
      EXPECT_THAT(error.what(), HasSubstr("; use a smaller input, or run without --one-group"));
      return false;
    }
  }
  /// With and without passes.
  void expect_same(const Program& program, const Arrays& inputs) {
    for (const Passes passes : {all_passes(), Passes()}) {
      options_.passes = passes;
      EXPECT_TRUE(runs_or_is_refused(program, inputs)) << program.text();
    }
  }
  std::string error_of(const std::string& text, const Arrays& inputs = {}) {
    try {
      run(Program::parse(text), inputs, options_);
    } catch (const UserError& error) {
      return error.what();
    }
    return "";
  }

  Options options_;
};

TEST_P(OneGroupOnDevice, EveryProgramThatFitsGivesTheSame) {
  for (const LibraryProgram& one : library()) {
    const Program program = library_program(one.name);
    int64_t largest = -1;
    for (const int64_t n : {0, 1, 2, 4, 15, 16, 17, 31, 32, 33, 63, 64, 65, 127, 128, 255, 256, 257, 1'100}) {
      SCOPED_TRACE(std::string(one.name) + " " + std::to_string(n));
      if (runs_or_is_refused(program, inputs_of(program, n))) largest = n;
    }
    EXPECT_GE(largest, 16) << one.name;
    EXPECT_LT(largest, 1'100) << one.name;
  }
}

TEST_P(OneGroupOnDevice, HasAMemberForEachProcessor) {
  const std::string text = "mode EREW inout A[n] : int\n\nprocessors n\nA[p] = A[p] + 1\n";
  expect_same(Program::parse(text), {{"A", numbers(256, 9)}});
  EXPECT_EQ(error_of(text, {{"A", numbers(257, 9)}}),
            "line 3: the block has 257 processors; one group has 256; use a smaller input, or run without "
            "--one-group");
  const std::string matrix =
      "mode EREW input n : int output x : int processors i < n, j < n\nif i * n + j == 0 { x = n }";
  expect_same(Program::parse(matrix), {{"n", scalar(16)}});
  EXPECT_THAT(error_of(matrix, {{"n", scalar(17)}}), HasSubstr("line 1: the block has 289 processors"));
  EXPECT_THAT(error_of(matrix, {{"n", scalar(-1)}}), HasSubstr("-1"));
  EXPECT_THAT(error_of(matrix, {{"n", scalar(int64_t{1} << 40)}}),
              HasSubstr("more than 2147483648 processors"));
}

TEST_P(OneGroupOnDevice, HoldsAllCells) {
  const std::string text =
      "mode CREW inout A[n] : int output B[3] : int shared none[0] : int\nprocessors 3\nB[p] = A[n - 1 - "
      "p]\nif p == 0 { A[0] = n }";
  const Arrays inputs = {{"A", numbers(4'080 - 4, 1000)}};
  expect_same(Program::parse(text), inputs);
  EXPECT_EQ(error_of(text, {{"A", numbers(4'080 - 3, 1000)}}),
            "the variables have 4081 cells, of which 'A' has 4077; one group holds 4080 of this program; "
            "use a smaller input, or run without --one-group");
}

TEST_P(OneGroupOnDevice, ResolvesWritesAsEachModeSays) {
  for (const int64_t n : {1, 2, 33, 256}) {
    for (const auto& [program, inputs] : programs_of_each_mode(n)) expect_same(program, inputs);
  }
  options_.race = true;
  const Program program = Program::parse(
      "mode CRCW arbitrary input A[n] : int output C[10] : int = -1 processors n\nC[A[p]] = p\n");
  const Array cells = numbers(200, 9);
  const Arrays found = run(program, {{"A", cells}}, options_).outputs;
  for (size_t i = 0; i < 9; ++i) {
    EXPECT_EQ(cells.words.at(static_cast<size_t>(found.at("C").words[i])), static_cast<Word>(i));
  }
}

TEST_P(OneGroupOnDevice, CombinesInTheOrderOfTheTree) {
  constexpr int64_t kMost = std::numeric_limits<int64_t>::max();
  const Program sum = Program::parse(
      "mode CRCW combining + input A[n] : int output S : int output T[2] : int32 processors n\n"
      "if A[p] != 0 { S = A[p] }\nT[p % 2], T[(p + 1) % 2] = int32(p), int32(A[p] % 9)");
  // From left to right they would overflow, pairwise they do not; in reverse order.
  expect_same(sum, {{"A", ints({kMost - 5, -7, 0, 7, -9, 4, 5, kMost / 2, 1 - kMost / 2})}});
  expect_same(sum, {{"A", ints({kMost - 5, 7, -9, 4, 0})}});
}

TEST_P(OneGroupOnDevice, HostsControlFlow) {
  // Loops, conditions and sizes that depend on shared cells, and on values common to all processors.
  expect_same(
      Program::parse(
          "mode CREW inout A[n] : int output rounds : int output last : real\n"
          "private d = 1 private r = 0.5\n"
          "while A[0] < 1000 {\n"
          "processors min(d, n) { private k = 0 while k < 3 { A[p] = A[p] + A[n - 1] % 7 + 1\nk = k + 1 }\n"
          "if A[p] % 2 == 0 { A[p] = A[p] + 3 } else { A[p] = A[p] + A[p] % 5 } }\n"
          "if A[0] % 3 == 1 { rounds = rounds + 1 } else { d = 2 * d\nr = r + A[0] / 4.0 }\n"
          "}\nlast = r"),
      {{"A", numbers(40, 10)}});
}

TEST_P(OneGroupOnDevice, ReportsAsTheInterpreterDoes) {
  const Arrays inputs = {{"A", numbers(200, 1000)}};
  options_.max_steps = 10'000;
  for (const char* body :
       {"private a = p\na = a + 1\nif p > 3 { C[p] = 100 / (p - 190) }\n",
        "while C[p] < 5 { C[p] = C[p] + A[p + 1] % 2 + 1 }\n", "private d = 1\nwhile true { d = 2 * d }\n",
        "C[0], C[p] = 1, 2\n", "x = int32(A[0] * 9999999999)\n", "C[p] = 9223372036854775700 + p\n",
        "while C[n - 1 - p] < 9 { C[p] = C[n - 1 - p] / 2 }\n", "while x == 0 { x = 0 }\n"}) {
    const Program program = Program::parse(
        std::string("mode CREW input A[n] : int output C[n] : int output x : int\nprocessors n\n") + body);
    Options plain;
    plain.max_steps = options_.max_steps;
    const Outcome expected = outcome_of([&] { return run(program, inputs, plain); });
    ASSERT_FALSE(expected.error.empty()) << body;
    EXPECT_EQ(outcome_of([&] { return run(program, inputs, options_); }).error, expected.error);
  }
  options_.max_steps = 100;
  EXPECT_THAT(error_of("mode EREW output x : int while x == 0 { x = 0 }"),
              HasSubstr("has not ended after 100 steps"));
  options_.max_steps = 100'000;
  EXPECT_THAT(error_of(kLoopsInAnEndlessOne), HasSubstr("has not ended after 100000 steps"));
  Cancellation cancellation;
  cancellation.cancel();
  options_.cancellation = &cancellation;
  EXPECT_THROW(run(library_program("reduction"), {{"A", numbers(10, 10)}}, options_), CancelledError);
}

TEST_P(OneGroupOnDevice, ReadsExtentsBeforeTheyChange) {
  for (const int64_t n : {300, 9, 5, 1, 0, -1}) {
    expect_same(Program::parse(fmt::format("mode CREW inout n : int output B[300] : int processors n\n"
                                           "if p == 0 {{ n = {} }}\nB[p] = p + 1",
                                           n)),
                {{"n", scalar(200)}});
  }
}

TEST_P(OneGroupOnDevice, CombinesSoManyWritesOfAStep) {
  for (const int targets : {1, 7, 8, 16}) {
    std::string cells, values;
    for (int t = 0; t < targets; ++t) {
      cells += fmt::format("{}T[(p + {}) % 16]", t == 0 ? "" : ", ", t);
      values += t == 0 ? "p" : ", p";
    }
    const std::string text =
        fmt::format("mode CRCW combining + output T[16] : int processors 100\n{} = {}", cells, values);
    if (targets < 8) {
      expect_same(Program::parse(text), {});
    } else {
      EXPECT_EQ(
          error_of(text),
          fmt::format(
              "line 2: one group combines at most 7 writes of a processor to 'T' in a step, here are {}; "
              "use a smaller statement, or run without --one-group",
              targets));
    }
  }
}

TEST_P(OneGroupOnDevice, CountsTheRoundsOfAllLoops) {
  options_.max_steps = 14'000;
  EXPECT_THAT(error_of("mode CREW inout x : int processors 1\nprivate k = 0\n"
                       "while x < 3000 { k = p while k < 3000 + p { k = k + 1 } if p == 0 { x = x + 1 } }",
                       {{"x", scalar(0)}}),
              HasSubstr("has not ended after 14000 steps"));
}

TEST_P(OneGroupOnDevice, IsOneLaunch) {
  options_.time_kernels = true;
  const std::vector<KernelCost> costs =
      run(library_program("scan"), {{"A", numbers(100, 10)}}, options_).kernels;
  ASSERT_EQ(costs.size(), 1u);
  EXPECT_EQ(costs[0].launches, 1u);
  EXPECT_EQ(costs[0].processors, 100u);
  EXPECT_EQ(costs[0].lanes, 256u);
}

TEST_P(OneGroupOnDevice, RefusesWhatItCannotDo) {
  const std::string text = "mode EREW output x : int x = 1";
  options_.check = true;
  EXPECT_THAT(error_of(text), StartsWith("one group does not look for conflicts"));
  options_.check = false;
  NoObserver observer;
  options_.observer = &observer;
  EXPECT_THAT(error_of(text), StartsWith("one group is one kernel"));
  options_.observer = nullptr;
  for (const Executor executor : {Executor::kInterpreter, Executor::kCpu}) {
    options_.executor = executor;
    EXPECT_THAT(error_of(text), AllOf(HasSubstr("one group runs on a GPU"), HasSubstr("cuda or opencl")));
  }
}

INSTANTIATE_TEST_SUITE_P(Devices, OneGroupOnDevice, testing::Values(Executor::kCuda, Executor::kOpenCl),
                         device_name);

}  // namespace
}  // namespace lanewise::pram
