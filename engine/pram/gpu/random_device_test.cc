// Devices against the interpreter, on random programs, many of them in one source: any optimisations, any
// form of active sets.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <tuple>

#include "base/testing/test_size.h"
#include "pram/gpu/run.h"
#include "pram/testing/backends.h"
#include "pram/testing/outcome.h"
#include "pram/testing/random_program.h"
#include "pram/testing/ways.h"

namespace lanewise::pram {
namespace {

constexpr int kShares = 8;  // for separate processes: compilers use one core

class RandomOnDevice : public testing::TestWithParam<std::tuple<Executor, int>> {};

/// A program and its expected outcome.
struct Case {
  uint64_t seed;
  Program program;
  Arrays inputs;
  Outcome expected;
  std::unique_ptr<DeviceProgram> compiled;
};

/// `groups`: some may run in one.
Case make_case(uint64_t seed, bool groups) {
  Case made{seed, Program::parse(RandomProgram(seed + 9'000'000).text()), {}, {}, nullptr};
  Random random(seed);
  static constexpr int64_t kSizes[] = {0, 1, 2, 3, 31, 32, 33, 100, 255, 256, 257, 1000};
  const int64_t n = seed % 20 == 19 ? 10'000 : kSizes[random.below(12)];
  made.inputs = random_inputs(random, n, seed % 20 == 0);
  Options options;
  options.seed = seed;
  made.expected = outcome_of([&] { return run(made.program, made.inputs, options); });
  options.passes = Passes(random.below(1 << passes().size()));
  options.active = static_cast<ActiveForm>(random.below(3));
  // The outcome of a program with a conflict is defined only if conflicts are checked.
  options.check = made.expected.conflict || random.below(3) == 0;
  options.specialise = made.expected.error.empty() && random.below(2) == 0;
  options.graphs = random.below(2) == 0;
  options.one_group = groups && n <= 256 && !options.check && random.below(3) == 0;
  made.compiled =
      std::make_unique<DeviceProgram>(made.program, options, "p" + std::to_string(seed) + "_", &made.inputs);
  return made;
}

TEST_P(RandomOnDevice, IsAsTheInterpreter) {
  const auto [executor, share] = GetParam();
  std::string why;
  Backend* const backend = backend_of(executor, LANEWISE_SOURCE_DIR, why);
  if (backend == nullptr) GTEST_SKIP() << why;
  const bool cuda = executor == Executor::kCuda;
  const auto programs = cuda ? test_size<uint64_t>(16, 400, 2'000) : test_size<uint64_t>(0, 24, 504);
  const uint64_t together = cuda ? 25 : 1;
  const bool groups = backend->no_group().empty();
  Ways ways;
  int in_one_group = 0;
  const uint64_t end = programs / kShares * (static_cast<uint64_t>(share) + 1);
  for (uint64_t first = end - programs / kShares; first < end; first += together) {
    std::vector<Case> cases;
    std::string text = group_text();
    for (uint64_t seed = first; seed < std::min(end, first + together); ++seed) {
      text += cases.emplace_back(make_case(seed, groups)).compiled->emitted.text;
    }
    const std::unique_ptr<Code> code = backend->build(source_of(backend->dialect(), text));
    for (const Case& one : cases) {
      const Options& options = one.compiled->options;
      Outcome found;
      try {
        found = outcome_of([&] { return run_on_device(*one.compiled, *code, one.inputs, *backend); });
      } catch (const UserError& error) {
        ASSERT_TRUE(options.one_group) << error.what();
        ASSERT_THAT(error.what(), testing::HasSubstr("use a smaller input, or run without --one-group"));
        continue;
      }
      in_one_group += options.one_group ? 1 : 0;
      ASSERT_EQ(found.error, one.expected.error) << one.seed << "\n" << one.program.text();
      ASSERT_TRUE(with_one_nan(found.outputs) == with_one_nan(one.expected.outputs))
          << "seed " << one.seed << ", passes " << options.passes << ", form "
          << static_cast<int>(options.active) << ", check " << options.check << "\n"
          << one.program.text() << one.compiled->emitted.text;
      ways.count(one.expected, options);
    }
  }
  ways.print();
  if (groups && programs / kShares > 20) {
    EXPECT_GT(in_one_group, 0);
  }
}

std::string share_name(const testing::TestParamInfo<std::tuple<Executor, int>>& test) {
  const auto& [executor, share] = test.param;
  return (executor == Executor::kCuda ? "Cuda" : "OpenCl") + std::to_string(share);
}

INSTANTIATE_TEST_SUITE_P(Devices, RandomOnDevice,
                         testing::Combine(testing::Values(Executor::kCuda, Executor::kOpenCl),
                                          testing::Range(0, kShares)),
                         share_name);

}  // namespace
}  // namespace lanewise::pram
