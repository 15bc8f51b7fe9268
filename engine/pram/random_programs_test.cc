// The interpreter against one processor after the other, on random programs.
#include <gtest/gtest.h>

#include <map>

#include "base/testing/test_size.h"
#include "pram/interpreter/interpreter.h"
#include "pram/language/format.h"
#include "pram/testing/naive.h"
#include "pram/testing/random_program.h"

namespace lanewise::pram {
namespace {

Ending interpret(const Program& program, const Arrays& inputs, uint64_t seed) {
  Options options;
  options.seed = seed;
  Interpreter interpreter(program, inputs, options);
  Ending ending;
  try {
    interpreter.run();
  } catch (const ConflictError& error) {
    static constexpr const char* kKinds[] = {"read", "write", "unequal", "twice"};
    ending.reason = kKinds[static_cast<size_t>(error.conflict().kind)];
    ending.first = error.conflict().processors[0];
    ending.second = error.conflict().processors[1];
    ending.cell = error.conflict().cell;
    EXPECT_EQ(error.step(), interpreter.cost().steps + 1);
  } catch (const RunError& error) {
    ending.reason = "error";
    ending.first = error.processor();
  }
  ending.steps = interpreter.cost().steps;
  ending.work = interpreter.cost().work;
  ending.depth = interpreter.cost().depth;
  ending.memory = interpreter.memory().variables;
  return ending;
}

TEST(RandomPrograms, InterpreterIsAsTheNaiveOne) {
  std::map<std::string, int> endings;
  const auto programs = test_size<uint64_t>(300, 3'000, 100'000);
  for (uint64_t seed = 0; seed < programs; ++seed) {
    const std::string text = RandomProgram(seed).text();
    const std::string formatted = format(text);
    EXPECT_EQ(format(formatted), formatted);
    const Program program = Program::parse(formatted);
    static constexpr int64_t kSizes[] = {0, 1, 2, 3, 5, 8, 31, 32, 33};
    Random random(seed + 1'000'000);
    const int64_t n = seed % 500 == 499 ? 1500 : kSizes[random.below(9)];
    std::vector<int64_t> a;
    std::vector<double> r;
    for (int64_t i = 0; i < n; ++i) {
      a.push_back(static_cast<int64_t>(random.below(20)) - 5);
      r.push_back(static_cast<double>(random.below(20)) / 4 - 2);
    }
    if (n > 0 && seed % 20 == 0) a[random.below(static_cast<uint64_t>(n))] = INT64_MAX;
    const Arrays inputs = {{"A", ints(a)}, {"R", reals(r)}};
    const Ending expected = Naive(program, inputs, seed).run();
    const Ending found = interpret(program, inputs, seed);
    ++endings[expected.reason];
    ASSERT_EQ(found.reason, expected.reason) << seed << "\n" << formatted;
    ASSERT_EQ(found, expected) << seed << " ended with '" << expected.reason << "': processors "
                               << found.first << ", " << found.second << " and " << expected.first << ", "
                               << expected.second << ", cells " << found.cell << " and " << expected.cell
                               << ", steps " << found.steps << " and " << expected.steps << "\n"
                               << formatted;
  }
  // Each kind of ending occurred, and most programs did something.
  EXPECT_GE(endings[""], static_cast<int>(programs / 4));
  for (const char* reason : {"error", "read", "write", "unequal"}) EXPECT_GE(endings[reason], 2) << reason;
}

}  // namespace
}  // namespace lanewise::pram
