// The executor against the interpreter, on random programs: any optimisations, any form of active sets, one
// to three threads.
#include <gtest/gtest.h>

#include "base/testing/test_size.h"
#include "pram/testing/outcome.h"
#include "pram/testing/random_program.h"
#include "pram/testing/ways.h"

namespace lanewise::pram {
namespace {

TEST(RandomPrograms, ExecutorIsAsTheInterpreter) {
  Ways ways;
  const auto programs = test_size<uint64_t>(60, 500, 100'000);
  for (uint64_t seed = 0; seed < programs; ++seed) {
    const Program program = Program::parse(RandomProgram(seed + 5'000'000).text());
    Random random(seed);
    static constexpr int64_t kSizes[] = {0, 1, 2, 3, 31, 32, 33, 100, 1000};
    // Only the long ones are for several threads, and for sets of many parts.
    const int64_t longest = seed % 500 == 499 ? test_size<int64_t>(10'000, 10'000, 1'000'000) : 10'000;
    const int64_t n = seed % 20 == 19 ? longest : kSizes[random.below(9)];
    const Arrays inputs = random_inputs(random, n, seed % 20 == 0);
    Options options;
    options.seed = seed;
    const Outcome expected = outcome_of([&] { return run(program, inputs, options); });

    options.executor = Executor::kCpu;
    options.passes = Passes(random.below(1 << passes().size()));
    options.active = static_cast<ActiveForm>(random.below(3));
    options.threads = 1 + static_cast<int>(random.below(3));
    options.check = random.below(3) == 0;
    // The outcome of a program with a conflict is defined only if conflicts are checked.
    if (expected.conflict) options.check = true;
    const Outcome found = outcome_of([&] { return run(program, inputs, options); });
    ASSERT_EQ(found.error, expected.error) << seed << "\n" << program.text();
    ASSERT_TRUE(found.outputs == expected.outputs)
        << "seed " << seed << ", n " << n << ", passes " << options.passes << ", form "
        << static_cast<int>(options.active) << ", check " << options.check << "\n"
        << program.text();

    ways.count(expected, options);
  }
  ways.print();
  EXPECT_EQ(ways.seen().size(), Ways::possible());
  for (const auto& [what, count] : ways.seen()) EXPECT_GE(count, static_cast<int>(programs / 100)) << what;
}

}  // namespace
}  // namespace lanewise::pram
