// The source of kernels: its text, and that CUDA's compiler accepts it for every program.
#include "pram/gpu/emit/emit.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/testing/test_size.h"
#include "gpu/modules/compiler.h"
#include "gpu/testing/nvrtc.h"
#include "pram/gpu/run.h"
#include "pram/library.h"
#include "pram/testing/outcome.h"
#include "pram/testing/random_program.h"

namespace lanewise::pram {
namespace {

using testing::HasSubstr;
using testing::Not;

std::string kernels(const std::string& text, Passes passes = all_passes()) {
  Options options;
  options.passes = passes;
  return DeviceProgram(Program::parse(text), options).emitted.text;
}

TEST(Emit, WritesStatementsAsC) {
  const std::string text = kernels(
      "mode CREW input A[n] : int output B[n] : int processors n\n"
      "private left = 0 if p > 0 { left = A[p - 1] }\nB[p] = A[p] + left");
  EXPECT_THAT(text, HasSubstr("  word left_x0 = 0;\n  int bad = 0;\n  left_x0 = 0l;\n"
                              "  if ((p_p0 > 0l)) {\n"
                              "    left_x0 = A_g0[at(subtract(p_p0, 1l, &bad), A_g0_0, &bad)];\n  }\n"
                              "  B_g1[at(p_p0, B_g1_0, &bad)] = add(A_g0[at(p_p0, A_g0_0, &bad)], left_x0, "
                              "&bad);\n"));
}

TEST(Emit, ColumnsAreForVariablesThatOutliveAKernel) {
  const std::string text =
      "mode CREW input A[n] : int output B[n] : int processors n\n"
      "private a = A[p]\nB[p] = A[(p + a) % n]\nB[p] = B[n - 1 - p] + a";
  EXPECT_THAT(kernels(text, {}), HasSubstr("a_x0_all[who] = a_x0;"));
  EXPECT_THAT(kernels(text, {}), HasSubstr("word a_x0 = a_x0_all[who];"));
  EXPECT_THAT(kernels("mode CREW input A[n] : int output B[n] : int processors n\n"
                      "private a = A[p]\nB[p] = a"),
              Not(HasSubstr("_all")));
}

TEST(Emit, ColumnsAreClearedUnlessAllProcessorsAssignThem) {
  const Program program = Program::parse(
      "mode CREW input A[n] : int output B[n] : int processors n\n"
      "private a = A[p]\nB[p] = A[n - 1 - p] + a\nB[p] = B[n - 1 - p] + a\n"
      "if B[p] > 3 {\nprivate b = 1\nB[p] = B[n - 1 - p] + b\nB[p] = B[n - 1 - p] + b\n}\n");
  const DeviceProgram compiled(program, {});
  EXPECT_EQ(compiled.emitted.assigned, (std::vector<bool>{true, false}));
  EXPECT_EQ(compiled.emitted.in_register, (std::vector<bool>{false, false}));
}

TEST(Emit, NumbersOfSeveralDimensions) {
  EXPECT_THAT(kernels("mode CREW output E[3, 5] : real processors i < 3, j < 5\nE[i, j] = i / 2.0"),
              HasSubstr("  const word j_p1 = (uint)who % (uint)extent_1;\n"
                        "  const word i_p0 = (uint)who / (uint)extent_1;\n"));
}

TEST(Emit, SpecialisedKernelsHaveTheirSizes) {
  const Program program = Program::parse(
      "mode CREW input A[n] : int output B[n] : int input k : int processors n\nB[p] = A[p] + k * n");
  const Arrays inputs = {{"A", ints({7, 8, 9})}, {"k", scalar(-5)}};
  Options options;
  EXPECT_THAT(DeviceProgram(program, options, "", &inputs).emitted.text, HasSubstr("k_c"));
  options.specialise = true;
  const std::string text = DeviceProgram(program, options, "", &inputs).emitted.text;
  EXPECT_THAT(text, HasSubstr("  B_g1[at(p_p0, 3l, &bad)] = add(A_g0[at(p_p0, 3l, &bad)], "
                              "multiply((-5l), 3l, &bad), &bad);\n"));
  EXPECT_THAT(DeviceProgram(program, options, "").emitted.text, HasSubstr("k_c"));  // for any inputs
}

TEST(Emit, EveryProgramCompiles) {
  if (kSanitized) GTEST_SKIP() << "NVRTC is not instrumented";
  if (!gpu::find_nvrtc(LANEWISE_SOURCE_DIR)) GTEST_SKIP() << "NVRTC is not here";
  std::string text = tools_text() + group_text();
  size_t number = 0;
  const auto add = [&](const Program& program, Passes passes, bool check) {
    Options options;
    options.passes = passes;
    options.check = check;
    for (const bool one_group : {false, true}) {
      options.one_group = one_group;
      text += DeviceProgram(program, options, "p" + std::to_string(number++) + "_").emitted.text;
    }
  };
  for (const LibraryProgram& one : library()) {
    add(library_program(one.name), all_passes(), false);
    add(library_program(one.name), {}, true);
  }
  const auto random = test_size<uint64_t>(10, 20, 1'000);
  for (uint64_t seed = 0; seed < random; ++seed) {
    add(Program::parse(RandomProgram(seed).text()), Passes(seed % (1 << passes().size())), seed % 7 == 0);
  }
  const std::string source = source_of(Dialect::kCuda, text);
  EXPECT_FALSE(gpu::Compiler::system()
                   .compile({.name = "pram", .text = source, .options = {"--fmad=false", "-w"}}, "sm_90")
                   .empty());
}

}  // namespace
}  // namespace lanewise::pram
