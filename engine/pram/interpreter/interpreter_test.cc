// Lock-step, modes, conflicts, costs, steps back.
#include "pram/interpreter/interpreter.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "pram/executor/observer.h"
#include "pram/interpreter/kernel_steps.h"
#include "pram/library.h"
#include "pram/run.h"

namespace lanewise::pram {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

using Row = std::vector<Word>;

Result run_text(const std::string& text, const Arrays& inputs = {}, const Options& options = {}) {
  return run(Program::parse(text), inputs, options);
}

Row words(const Result& result, const std::string& name) { return result.outputs.at(name).words; }

TEST(Interpreter, EverythingIsReadBeforeAnythingIsWritten) {
  const std::string text = "mode CREW inout A[n] : int processors n A[p] = A[(p + 1) % n] + A[(p - 1) % n]";
  EXPECT_EQ(words(run_text(text, {{"A", ints({1, 2, 3, 4, 5})}}), "A"), (Row{7, 4, 6, 8, 5}));
  const std::string swap =
      "mode EREW inout A[n] : int processors n / 2 A[2 * p], A[2 * p + 1] = A[2 * p + 1], A[2 * p]";
  EXPECT_EQ(words(run_text(swap, {{"A", ints({1, 2, 3, 4})}}), "A"), (Row{2, 1, 4, 3}));
}

TEST(Interpreter, WhoLeftALoopWaits) {
  const std::string text =
      "mode EREW input n : int output steps[n] : int output after[n] : int processors n\n"
      "private k = p\n"
      "while k > 0 { steps[p] = steps[p] + 1 k = k - 1 }\n"
      "after[p] = steps[p]";
  const Result result = run_text(text, {{"n", scalar(5)}});
  EXPECT_EQ(words(result, "after"), (Row{0, 1, 2, 3, 4}));
  // private, five tests, four rounds of two assignments, the last assignment.
  EXPECT_EQ(result.cost.steps, 1u + 5 + 8 + 1);
  EXPECT_EQ(result.cost.work, 5u + (5 + 4 + 3 + 2 + 1) + 2 * (4 + 3 + 2 + 1) + 5);
}

TEST(Interpreter, BothPartsOfAnIfAreOneDepth) {
  const std::string text =
      "mode EREW output A[4] : int processors 4\n"
      "if p < 2 {\nA[p] = 1\nA[p] = 2\nA[p] = 3\n} else {\nA[p] = 4\n}\n";
  const Result result = run_text(text);
  EXPECT_EQ(words(result, "A"), (Row{3, 3, 4, 4}));
  EXPECT_EQ(result.cost.steps, 5u);
  EXPECT_EQ(result.cost.depth, 4u);
  EXPECT_EQ(result.cost.peak, 4u);
  EXPECT_EQ(result.cost.lines.at(2), (LineCost{1, 4, 4}));
  EXPECT_EQ(result.cost.lines.at(3), (LineCost{1, 2, 2}));
}

TEST(Interpreter, DimensionsCountTheLastFastest) {
  const std::string text =
      "mode EREW output A[2, 3] : int output B[12] : int\n"
      "processors i < 2, j < 3 { A[i, j] = 10 * i + j }\n"
      "processors i < 2, j < 3, k < 2 { B[(i * 3 + j) * 2 + k] = 100 * i + 10 * j + k }";
  const Result result = run_text(text);
  EXPECT_EQ(words(result, "A"), (Row{0, 1, 2, 10, 11, 12}));
  EXPECT_EQ(words(result, "B"), (Row{0, 1, 10, 11, 20, 21, 100, 101, 110, 111, 120, 121}));
}

TEST(Interpreter, LoopsCountBothWays) {
  const std::string text =
      "mode EREW output a : int output b : int\n"
      "for k = 1 to 10 step 3 { a = 100 * a + k }\n"
      "for k = 3 down to 1 { b = 10 * b + k }";
  const Result result = run_text(text);
  EXPECT_EQ(words(result, "a"), Row{1040710});
  EXPECT_EQ(words(result, "b"), Row{321});
}

std::string conflict_of(const std::string& text, const Arrays& inputs = {}) {
  try {
    run_text(text, inputs);
    return "";
  } catch (const ConflictError& error) {
    return error.what();
  }
}

TEST(Interpreter, EachModeForbidsItsConflicts) {
  const std::string read = " input n : int output A[n] : int shared x : int processors n A[p] = x";
  const std::string write = " output x : int processors 3 if p != 1 { x = 5 }";
  const std::string unequal = " output x : int output y : int processors 3 x = 1 if p != 0 { y = p }";
  EXPECT_THAT(conflict_of("mode EREW" + read, {{"n", scalar(2)}}),
              HasSubstr("processors 0 and 1 both read x, which EREW forbids"));
  EXPECT_EQ(conflict_of("mode EREW" + read, {{"n", scalar(1)}}), "");
  EXPECT_EQ(conflict_of("mode CREW" + read, {{"n", scalar(2)}}), "");
  EXPECT_THAT(conflict_of("mode EREW" + write),
              HasSubstr("processors 0 and 2 both write x (5 and 5), which EREW forbids"));
  EXPECT_THAT(conflict_of("mode CREW" + write), HasSubstr("which CREW forbids"));
  EXPECT_EQ(conflict_of("mode CRCW common" + write), "");
  EXPECT_THAT(
      conflict_of("mode CRCW common" + unequal),
      HasSubstr("processors 1 and 2 write different values to y (1 and 2), which CRCW common forbids"));
  EXPECT_EQ(conflict_of("mode CRCW arbitrary" + unequal), "");
  EXPECT_THAT(conflict_of("mode CRCW arbitrary output A[3] : int processors 2 A[p], A[1] = 1, 2"),
              HasSubstr("processor 1 writes A[1] twice in one assignment (1 and 2)"));
}

TEST(Interpreter, ConflictsHaveStepPlaceAndCell) {
  try {
    run_text(
        "mode EREW\noutput A[3, 3] : int\nprocessors i < 3, j < 3\nA[i, j] = 1\nif i == j {\n  A[i, 2] = "
        "A[0, 1]\n}");
    FAIL();
  } catch (const ConflictError& error) {
    EXPECT_EQ(error.step(), 3u);
    EXPECT_EQ(error.place().line, 6u);
    EXPECT_EQ(error.conflict().cell, 1u);
    EXPECT_THAT(error.what(), HasSubstr("processors 0 and 4 both read A[0, 1]"));
  }
}

TEST(Interpreter, WritesAreResolvedByMode) {
  const std::string text =
      " input n : int output x : int output A[4] : int processors n x = p + 10 A[p % 4] = p";
  const Arrays inputs = {{"n", scalar(1000)}};
  EXPECT_EQ(words(run_text("mode CRCW priority" + text, inputs), "x"), Row{10});
  EXPECT_EQ(words(run_text("mode CRCW priority" + text, inputs), "A"), (Row{0, 1, 2, 3}));
  EXPECT_EQ(words(run_text("mode CRCW combining +" + text, inputs), "x"), Row{1000 * 10 + 999 * 500});
  EXPECT_EQ(words(run_text("mode CRCW combining max" + text, inputs), "A"), (Row{996, 997, 998, 999}));
  std::set<Word> drawn;
  for (uint64_t seed = 0; seed < 20; ++seed) {
    Options options;
    options.seed = seed;
    const Result result = run_text("mode CRCW arbitrary" + text, inputs, options);
    drawn.insert(words(result, "x")[0]);
    for (Word cell = 0; cell < 4; ++cell) EXPECT_EQ(words(result, "A")[static_cast<size_t>(cell)] % 4, cell);
    EXPECT_EQ(words(result, "x"), words(run_text("mode CRCW arbitrary" + text, inputs, options), "x"));
  }
  EXPECT_GT(drawn.size(), 15u);
}

TEST(Interpreter, RealsAreCombinedInAFixedTree) {
  const std::string text = "mode CRCW combining + input A[n] : real output x : real processors n x = A[p]";
  EXPECT_EQ(real_of(words(run_text(text, {{"A", reals({1e100, 1.0, -1e100, 1.0, 0.5})}}), "x")[0]),
            ((1e100 + 1.0) + (-1e100 + 1.0)) + 0.5);
  EXPECT_THROW(run_text("mode CRCW combining + output x : int processors 2 x = 9223372036854775807"),
               RunError);
}

TEST(Interpreter, SurveySaysWhichModeAProgramNeeds) {
  Options options;
  options.survey = true;
  const auto needs = [&](const std::string& text) {
    return run_text("mode EREW output A[4] : int output x : int processors 4 " + text, {}, options)
        .survey.needs();
  };
  EXPECT_EQ(needs("A[p] = p"), Mode::kErew);
  EXPECT_EQ(needs("A[p] = A[0]"), Mode::kCrew);
  EXPECT_EQ(needs("x = 1"), Mode::kCommon);
  EXPECT_EQ(needs("x = p"), Mode::kArbitrary);
  const Result result = run_text("mode EREW output A[4] : int processors 4 A[p] = A[p / 2]", {}, options);
  ASSERT_TRUE(result.survey.read);
  EXPECT_EQ(result.survey.read->cell, 0u);
  EXPECT_THAT(result.survey.read->processors, ElementsAre(0, 1));
}

TEST(Interpreter, TheLeastProcessorsErrorIsReported) {
  const std::string text =
      "mode CREW\ninput A[n] : int\noutput B[n] : int\nprocessors n\nB[p] = 10 / A[p] + A[p + (p == 1500 ? n "
      ": 0)]\n";
  Row a(2000, 1);
  a[1700] = 0;
  try {
    run_text(text, {{"A", ints(a)}});
    FAIL();
  } catch (const RunError& error) {
    EXPECT_EQ(error.processor(), 1500u);
    EXPECT_THAT(error.what(), HasSubstr("[3500] is out of range: 'A' has 2000 cells"));
    EXPECT_THAT(error.what(), HasSubstr("processor 1500 in step 1"));
  }
  a[1200] = 0;
  EXPECT_THROW(
      {
        try {
          run_text(text, {{"A", ints(a)}});
        } catch (const RunError& error) {
          EXPECT_EQ(error.processor(), 1200u);
          throw;
        }
      },
      RunError);
}

TEST(Interpreter, EndlessLoopsEnd) {
  const std::string text = "mode EREW output x : int while true { x = 1 - x }";
  Options options;
  options.max_steps = 1000;
  EXPECT_THROW(run_text(text, {}, options), RunError);
  Cancellation cancellation;
  cancellation.cancel();
  options.cancellation = &cancellation;
  EXPECT_THROW(run_text(text, {}, options), CancelledError);
}

TEST(Interpreter, MemoryIsBounded) {
  MemoryBudget budget(1 << 20);
  Options options;
  options.budget = &budget;
  EXPECT_THROW(
      run_text("mode EREW input n : int output A[n] : int A[0] = 1", {{"n", scalar(1 << 20)}}, options),
      MemoryError);
  EXPECT_THROW(
      run_text("mode EREW input n : int output x : int processors n { private y = p if y == 0 { x = 1 } }",
               {{"n", scalar(1 << 20)}}, options),
      MemoryError);
  EXPECT_EQ(budget.used(), 0u);
  EXPECT_THROW(
      run_text("mode EREW input n : int output A[n, n] : int A[0, 0] = 1", {{"n", scalar(int64_t{1} << 40)}}),
      UserError);
  EXPECT_THROW(run_text("mode EREW input n : int output x : int processors n * n { if p == 0 { x = 1 } }",
                        {{"n", scalar(int64_t{1} << 30)}}),
               UserError);
}

TEST(Interpreter, InputsMustFit) {
  const std::string text = "mode EREW input A[n] : int input B[n] : real output x : real x = B[A[0]]";
  const auto error = [&](const Arrays& inputs) -> std::string {
    try {
      run_text(text, inputs);
      return "";
    } catch (const UserError& caught) {
      return caught.what();
    }
  };
  EXPECT_EQ(error({{"A", ints({1, 1})}, {"B", reals({1, 2})}}), "");
  EXPECT_EQ(error({{"A", ints({1, 1})}, {"B", ints({1, 2})}}), "");
  EXPECT_THAT(error({{"A", ints({1, 1})}}), HasSubstr("the input 'B' is missing"));
  EXPECT_THAT(error({{"A", ints({1, 1})}, {"B", ints({1})}}), HasSubstr("the input 'B' has 1 cells, not 2"));
  EXPECT_THAT(error({{"A", ints({1, 1})}, {"B", ints({1, 2})}, {"C", ints({1})}}),
              HasSubstr("its inputs: A, B"));
  EXPECT_THAT(error({{"A", reals({1})}, {"B", ints({1})}}), HasSubstr("the input 'A' is int"));
  EXPECT_THAT(error({{"A", scalar(1)}, {"B", ints({1})}}), HasSubstr("has 1 dimensions, not 0"));
}

/// Everything that can be observed of a run.
struct Seen {
  std::vector<Array> variables;
  Columns columns;
  Cost cost;
  uint32_t active;
  const Statement* next;
  bool operator==(const Seen&) const = default;
};

Seen see(const Interpreter& interpreter) {
  return {interpreter.memory().variables, interpreter.columns(), interpreter.cost(),
          interpreter.active().count, interpreter.next()};
}

TEST(Interpreter, StepsBackAreStepsForwardUndone) {
  for (const char* name : {"sort", "reduction", "exclusive_scan", "maximum"}) {
    SCOPED_TRACE(name);
    Interpreter interpreter(library_program(name), {{"A", ints({5, 3, 9, 1, 1, 7, 2})}});
    interpreter.keep_history();
    std::vector<Seen> seen = {see(interpreter)};
    while (interpreter.step()) seen.push_back(see(interpreter));
    EXPECT_TRUE(interpreter.done());
    for (size_t i = seen.size() - 1; i > 0; --i) {
      ASSERT_EQ(see(interpreter), seen[i]) << i;
      if (i % 3 == 0) {  // there and back again
        ASSERT_TRUE(interpreter.back());
        ASSERT_TRUE(interpreter.step());
        ASSERT_EQ(see(interpreter), seen[i]) << i;
      }
      ASSERT_TRUE(interpreter.back());
    }
    EXPECT_EQ(see(interpreter), seen[0]);
    EXPECT_FALSE(interpreter.back());
  }
}

/// The number of units that the executor runs.
size_t count_units(const Program& program, const Arrays& inputs, const Passes& passes) {
  struct Count : KernelObserver {
    void begin(const Memory&) override {}
    void begin_block(uint32_t, uint32_t, const MetaProgram&) override {}
    void ran(const Unit&, uint32_t, const Memory&, const Columns&) override { ++units; }
    size_t units = 0;
  } count;
  Options options;
  options.executor = Executor::kCpu;
  options.passes = passes;
  options.observer = &count;
  run(program, inputs, options);
  return count.units;
}

TEST(Interpreter, StepsByKernelToo) {
  for (const char* name : {"sort", "reduction", "exclusive_scan", "maximum"}) {
    for (const Passes& passes : {all_passes(), Passes()}) {
      SCOPED_TRACE(name);
      const Arrays inputs = {{"A", ints({5, 3, 9, 1, 1, 7, 2})}};
      const Program program = library_program(name);
      Interpreter interpreter(program, inputs);
      interpreter.keep_history();
      KernelSteps kernels(interpreter, passes);
      std::vector<Seen> seen = {see(interpreter)};
      for (; kernels.step(); seen.push_back(see(interpreter))) {
        std::vector<Array> variables = seen.back().variables;
        for (const Change& change : kernels.changes()) {
          if (!change.shared) continue;
          Word& word = variables[change.index].words[change.cell];
          EXPECT_EQ(word, change.before);
          word = change.after;
        }
        EXPECT_TRUE(variables == interpreter.memory().variables);
      }
      EXPECT_TRUE(interpreter.outputs() == run(program, inputs).outputs);
      // As many as the executor runs; without passes each step is one.
      EXPECT_EQ(seen.size() - 1, count_units(program, inputs, passes));
      if (passes.none()) {
        EXPECT_EQ(seen.size() - 1, interpreter.cost().steps);
      }
      for (size_t i = seen.size() - 1; i > 0; --i) {
        ASSERT_EQ(see(interpreter), seen[i]) << i;
        ASSERT_TRUE(kernels.back());
      }
      EXPECT_EQ(see(interpreter), seen[0]);
      EXPECT_FALSE(kernels.back());
    }
  }
}

}  // namespace
}  // namespace lanewise::pram
