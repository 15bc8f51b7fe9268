// For each optimisation: where it applies, where it must not, and what it reports. That results stay the same
// is shown on random programs (executor/random_test.cc).
#include "pram/meta/passes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "base/error.h"
#include "pram/library.h"
#include "pram/meta/meta.h"

namespace lanewise::pram {
namespace {

using testing::HasSubstr;

constexpr const char* kHead =
    "input B[n] : int\ninout A[n] : int\noutput C[n, 2] : int\noutput x : int\nprocessors n\n";
constexpr size_t kHeadLines = 6;  // with the mode

/// The lines of the meta-program below "T0 = ...", after `passes`.
std::string passed_meta_of(const std::string& mode, const std::string& body,
                           std::initializer_list<Pass> passes) {
  const Program program = Program::parse("mode " + mode + "\n" + kHead + body);
  Passes chosen;
  for (const Pass pass : passes) chosen.set(static_cast<size_t>(pass));
  const MetaProgram meta = compile(program.tree(), chosen);
  for (const MetaNote& note : meta.notes) {
    EXPECT_TRUE(has(chosen, note.pass));
    EXPECT_FALSE(note.text.empty());
    // Only what applies to a whole block is reported at its beginning.
    EXPECT_GE(note.line, kHeadLines);
    if (note.pass != Pass::kFuse) {
      EXPECT_GT(note.line, kHeadLines);
    }
  }
  const std::vector<MetaLine> lines = print(meta, program.tree());
  std::string result;
  for (size_t i = 1; i < lines.size(); ++i) result += lines[i].text + "\n";
  return result;
}

/// An assignment after the pass that drops the second copy: "each" if it fired.
std::string in_place(const std::string& mode, const std::string& assignment) {
  const std::string text = passed_meta_of(mode, assignment, {Pass::kInPlace});
  return text.substr(4, text.find(' ', 4) - 4);
}

TEST(InPlace, FiresWhereNoOtherProcessorUsesTheCell) {
  for (const char* mode : {"EREW", "CREW", "CRCW common", "CRCW arbitrary", "CRCW combining +"}) {
    EXPECT_EQ(in_place(mode, "A[p] = A[p] + 1"), "each");
    EXPECT_EQ(in_place(mode, "A[p] = B[(p + 1) % n]"), "each");
    EXPECT_EQ(in_place(mode, "A[2 * p] = A[2 * p] + A[2 * p + 1]"), "each");
    EXPECT_EQ(in_place(mode, "A[3 * p + 1], A[3 * p] = A[3 * p + 2], A[3 * p + 1 - 1]"), "each");
    EXPECT_EQ(in_place(mode, "A[n - 1 - p] = A[-p + n - 1] * 2"), "each");
    EXPECT_EQ(in_place(mode, "C[p, A[p] % 2] = C[p, 1]"), "each");
  }
}

/// "each" if conditions go into kernels and nothing is copied.
std::string guarded(const std::string& body) {
  const std::string text = passed_meta_of("CRCW common", body, {Pass::kInPlace, Pass::kBranches});
  EXPECT_EQ(text.find("T1"), std::string::npos) << text;
  return text.find("for all") == std::string::npos ? "each" : "all";
}

TEST(InPlace, ConditionsKeepProcessorsFromACell) {
  EXPECT_EQ(guarded("if p != 3 { A[p] = A[3] }"), "each");
  EXPECT_EQ(guarded("if not (n - 1 == p) { A[p] = A[n - 1] }"), "each");
  EXPECT_EQ(guarded("if p > 0 and B[p] == 2 { A[p] = A[0] }"), "each");
  EXPECT_EQ(guarded("if p == n { C[p, 0] = 1 } else { A[p] = A[n] }"), "each");
  EXPECT_EQ(guarded("if p == 3 or p > n { C[p, 0] = 1 } else { A[p] = A[3] }"), "each");
  EXPECT_EQ(guarded("if p != 3 { C[p, 0] = C[3, 0] }"), "each");

  EXPECT_EQ(guarded("if p == 3 { A[p] = A[3] + A[0] }"), "all");
  EXPECT_EQ(guarded("if p != 3 or B[p] == 2 { A[p] = A[3] }"), "all");
  EXPECT_EQ(guarded("if p <= 3 { A[p] = A[3] }"), "all");
  EXPECT_EQ(guarded("if p != 3 { C[p, 0] = 1 } else { A[p] = A[3] + A[0] }"), "all");
  EXPECT_EQ(guarded("if p != 3 { A[p] = A[2] }"), "all");
  EXPECT_EQ(guarded("if p != 3 { A[p + 1] = A[3] }"), "all");
  EXPECT_EQ(guarded("if p != B[p] { A[p] = A[B[0]] }"), "all");
  EXPECT_EQ(guarded("if p != 3 { A[p] = A[p + 1] }"), "all");
}

TEST(InPlace, MustNotFireWhereAnotherProcessorMay) {
  for (const char* mode : {"EREW", "CREW", "CRCW common", "CRCW priority", "CRCW combining min"}) {
    EXPECT_EQ(in_place(mode, "A[p] = A[(p + 1) % n]"), "all");
    EXPECT_EQ(in_place(mode, "A[p] = A[p - 1]"), "all");
    EXPECT_EQ(in_place(mode, "A[p] = A[2 * p]"), "all");
    EXPECT_EQ(in_place(mode, "A[2 * p] = A[2 * p + 4]"), "all");
    EXPECT_EQ(in_place(mode, "A[p] = A[A[p]]"), "all");
    EXPECT_EQ(in_place(mode, "A[2 * p] = A[p * n]"), "all");
  }
  for (const char* mode : {"CRCW common", "CRCW priority", "CRCW combining min"}) {
    EXPECT_EQ(in_place(mode, "A[p / 2] = p"), "all");
    EXPECT_EQ(in_place(mode, "A[n * p] = p"), "all");  // n may be 0: then all write one cell
    EXPECT_EQ(in_place(mode, "x = p"), "all");
    EXPECT_EQ(in_place(mode, "x = x + 1"), "all");
  }
  // Two dimensions, of which the cell determines one.
  const Program program = Program::parse(
      "mode CRCW priority output D[8] : int output E[8, 8] : int processors i < 4, j < 4\n"
      "D[i] = j\nE[i, 2 * j] = j\nE[i, i + j] = j\n");
  Passes one;
  one.set(static_cast<size_t>(Pass::kInPlace));
  const MetaProgram meta = compile(program.tree(), one);
  EXPECT_EQ(meta.body[0].body[0].writing, Writing::kResolved);
  EXPECT_EQ(meta.body[0].body[1].writing, Writing::kInPlace);
  EXPECT_EQ(meta.body[0].body[2].writing, Writing::kResolved);
}

TEST(InPlace, UsesWhatTheModePromises) {
  // No two processors write one cell, or the program is wrong: so each owns what it writes.
  EXPECT_EQ(in_place("EREW", "A[B[p]] = A[B[p]] + 1"), "each");
  EXPECT_EQ(in_place("CREW", "A[n * p] = A[n * p] + 1"), "each");
  EXPECT_EQ(in_place("CRCW priority", "A[B[p]] = A[B[p]] + 1"), "all");
  EXPECT_EQ(in_place("CREW", "C[n * p, B[p]] = C[n * p, A[p]]"), "all");
  // All write the same.
  EXPECT_EQ(in_place("CRCW common", "A[p / 2] = 1"), "each");
  EXPECT_EQ(in_place("CRCW priority", "A[B[p]] = n"), "each");
  EXPECT_EQ(in_place("CRCW priority", "A[B[p]] = A[p] * 0"), "all");
  EXPECT_EQ(in_place("CRCW combining xor", "A[p / 2] = 1"), "all");
  EXPECT_EQ(in_place("CRCW common", "x = 1"), "each");
  EXPECT_EQ(in_place("CRCW combining min", "x = n"), "each");
  EXPECT_EQ(in_place("CRCW combining +", "x = 1"), "all");
}

TEST(Merge, FiresForWhatDoesNotDepend) {
  EXPECT_EQ(passed_meta_of("CREW", "private a = B[p]\nprivate b = a * 2\nA[p] = a + b\n",
                           {Pass::kInPlace, Pass::kMerge}),
            "for each p in T0:\n  a = B[p]\n  b = a * 2\n  A[p] = a + b\n");
  // Not each on its own, but both together.
  EXPECT_EQ(passed_meta_of("CREW", "A[p] = A[(p + 1) % n]\nC[p, 0] = C[(p + 1) % n, 1]\n", {Pass::kMerge}),
            "for all p in T0: A[p], C[p, 0] = A[(p + 1) % n], C[(p + 1) % n, 1]\n");
}

TEST(Merge, MustNotFireForWhatDoes) {
  const auto merged = [](const std::string& body) {
    const std::string text = passed_meta_of("CREW", body, {Pass::kInPlace, Pass::kMerge});
    return text.find("T0") == text.rfind("T0");
  };
  EXPECT_TRUE(merged("A[p] = B[p]\nC[p, 0] = A[p]\n"));
  EXPECT_FALSE(merged("A[p] = B[p]\nC[p, 0] = A[(p + 1) % n]\n"));  // written by another one
  EXPECT_FALSE(merged("C[p, 0] = A[(p + 1) % n]\nA[p] = B[p]\n"));  // in place it would be too early
  EXPECT_FALSE(merged("A[p] = A[n - 1 - p]\nA[p] = A[p] + 1\n"));
  EXPECT_FALSE(merged("A[p] = A[n - 1 - p]\nC[p, 0] = A[p]\n"));
}

TEST(Branches, FireForOneAssignmentAndForIndependentOnes) {
  EXPECT_EQ(passed_meta_of("CREW", "if A[n - 1 - p] > 0 { A[p] = A[(p + 1) % n] }\n", {Pass::kBranches}),
            "for all p in T0:\n  if A[n - 1 - p] > 0:\n    A[p] = A[(p + 1) % n]\n");
  EXPECT_EQ(passed_meta_of("CREW", "if p > 0 { A[p] = 1 } else { C[p, 0] = 2 }\n",
                           {Pass::kInPlace, Pass::kBranches}),
            "for each p in T0:\n  if p > 0:\n    A[p] = 1\n  else:\n    C[p, 0] = 2\n");
}

TEST(Branches, GoIntoEachKernelWhereOnePartReadsTheOther) {
  EXPECT_EQ(passed_meta_of("CREW", "if p > 0 { A[p] = 1 } else { C[p, 0] = A[n - 1] }\n",
                           {Pass::kInPlace, Pass::kMerge, Pass::kBranches}),
            "for each p in T0:\n  if p > 0:\n    A[p] = 1\n"
            "for each p in T0:\n  if not p > 0:\n    C[p, 0] = A[n - 1]\n");
  EXPECT_EQ(passed_meta_of("CREW", "if p > 0 { A[p] = A[p - 1]\nA[p] = A[p] + A[p - 1] }\n",
                           {Pass::kInPlace, Pass::kMerge, Pass::kBranches}),
            "for all p in T0:\n  if p > 0:\n    A[p] = A[p - 1]\n"
            "for all p in T0:\n  if p > 0:\n    A[p] = A[p] + A[p - 1]\n");
}

TEST(Branches, MustNotFireWhereTheConditionChangesOrIsDear) {
  for (const char* body : {"private d = p\nif d > 0 { d = A[p - 1]\nA[p] = A[p - 1] + d }\n",
                           "if A[p] > 0 { C[p, 0] = A[n - 1]\nA[p] = A[p - 1] + C[n - 1, 0] }\n",
                           "if p > 0 { A[p] = A[p - 1]\nwhile A[p] > 0 { A[p] = A[p - 1] }\n}\n"}) {
    EXPECT_THAT(passed_meta_of("CREW", body, {Pass::kInPlace, Pass::kMerge, Pass::kBranches}),
                HasSubstr("T1 = {p in T0 :"))
        << body;
  }
}

TEST(Host, TakesWhatAllProcessorsShare) {
  EXPECT_EQ(passed_meta_of("CREW", "private d = 1\nwhile d < n { A[p] = d\nd = 2 * d\n}\n", {Pass::kHost}),
            "d = 1\nT1 = T0\nwhile T1 = {p in T1 : d < n} is not empty:\n  for all p in T1: A[p] = d\n"
            "  d = 2 * d\n");
  EXPECT_EQ(passed_meta_of("CREW", "private d = x\nif d > 3 { A[p] = 1 } else { if p > d { A[p] = 2 } }\n",
                           {Pass::kHost}),
            "d = x\nif d > 3:\n  for all p in T0: A[p] = 1\nelse:\n  T1 = {p in T0 : p > d}\n"
            "  for all p in T1: A[p] = 2\n");
}

TEST(Host, MustNotTakeWhatProcessorsHaveOfTheirOwn) {
  for (const char* body : {"private d = p\nA[p] = d\n",                      // differs from the start
                           "private d = 1\nd = d + B[p]\nA[p] = d\n",        // read at p
                           "private d = 1\nif p > 0 { d = 2 }\nA[p] = d\n",  // by some only
                           "private d = 1\nwhile d < p { d = d + 1 }\nA[p] = d\n",
                           "private d = 1\nprivate e = p\nd, e = e, 2\nA[p] = d\n"}) {
    EXPECT_THAT(passed_meta_of("CREW", body, {Pass::kHost}), HasSubstr("for each p in T0: d = ")) << body;
  }
}

TEST(Loops, HostCountsOrProcessorsLoopOnTheirOwn) {
  EXPECT_EQ(passed_meta_of("CREW", "private d = 1\nwhile d < n { A[p] = d\nd = 2 * d\n}\n",
                           {Pass::kHost, Pass::kLoops}),
            "d = 1\nwhile d < n:\n  for all p in T0: A[p] = d\n  d = 2 * d\n");
  EXPECT_EQ(passed_meta_of("CREW", "private d = p\nwhile d > 0 { d = d - B[d] }\n", {Pass::kLoops}),
            "for each p in T0: d = p\nfor each p in T0:\n  while d > 0:\n    d = d - B[d]\n");
  EXPECT_EQ(passed_meta_of("CREW", "private d = p\nwhile d > 0 { A[p] = A[p] + d\nd = d / 2 }\n",
                           {Pass::kInPlace, Pass::kMerge, Pass::kLoops}),
            "for each p in T0:\n  d = p\n  while d > 0:\n    A[p] = A[p] + d\n    d = d / 2\n");
}

TEST(Loops, MustNotFireWhereRoundsMeet) {
  for (const char* body : {"while A[p] != A[A[p]] { A[p] = A[A[p]] }\n",
                           // d differs: what one processor writes in this round another one reads in the next
                           "private d = p\nwhile d > 0 { A[d] = A[d] + 1\nd = d - 1 }\n"}) {
    EXPECT_THAT(passed_meta_of("CREW", body, {Pass::kInPlace, Pass::kMerge, Pass::kLoops}),
                HasSubstr("is not empty:"))
        << body;
  }
}

TEST(Fuse, TakesABlockWhoseProcessorsDoNotMeet) {
  const std::string body = "private d = 1\nwhile d < n { A[p] = A[p] + B[d]\nd = 2 * d\n}\nC[p, 0] = A[p]\n";
  const std::string fused =
      "for each p in T0:\n  d = 1\n  while d < n:\n    A[p] = A[p] + B[d]\n    d = 2 * d\n  C[p, 0] = A[p]\n";
  EXPECT_EQ(passed_meta_of("CREW", body, {Pass::kFuse}), fused);
  EXPECT_EQ(passed_meta_of("CREW", body, {Pass::kFuse, Pass::kHost, Pass::kLoops}), fused);
}

TEST(Fuse, MustNotFireWhereProcessorsMeetOrNothingLoops) {
  for (const char* body : {"private d = 1\nwhile d < n { A[p] = A[(p + d) % n]\nd = 2 * d\n}\n",
                           "private d = 1\nwhile d < n { A[p] = d\nd = 2 * d\n}\nC[p, 0] = A[0]\n",
                           "A[p] = 1\nA[p] = A[p] + 1\n"}) {
    EXPECT_EQ(passed_meta_of("CREW", body, {Pass::kFuse}), passed_meta_of("CREW", body, {})) << body;
  }
}

TEST(Batch, TakesLoopsThatTheHostCounts) {
  EXPECT_EQ(
      passed_meta_of("CREW", "private d = 1\nwhile d < n { A[p] = A[p] + B[d]\nd = 2 * d\n}\n",
                     {Pass::kHost, Pass::kInPlace, Pass::kLoops, Pass::kBatch}),
      "  T0 = all p < n\n  d = 1\n  while d < n:\n    for each p in T0: A[p] = A[p] + B[d]\n    d = 2 * d\n");
  // Around blocks, together with the code next to the loop, but not with code that waits for a device.
  const Program program = Program::parse(
      "mode EREW\ninput A[n] : int\noutput s : int\noutput t : int\nshared B[n] : int\nprocessors n { B[p] = "
      "A[p] }\n"
      "private d = 1\nwhile d < n { processors n - d { B[p] = B[p] + A[p + d] }\nd = d + 1\n}\ns = B[0]\n"
      "while t < s { processors n { B[p] = t }\nt = t + 1\n}\n");
  const MetaProgram meta = compile(program.tree(), all_passes());
  ASSERT_EQ(meta.body.size(), 2U);
  EXPECT_EQ(meta.body[0].kind, Meta::Kind::kBatch);
  EXPECT_EQ(meta.body[0].body.size(), 4U);
  EXPECT_EQ(meta.body[1].kind, Meta::Kind::kHostWhile);
  const auto note = std::find_if(meta.notes.begin(), meta.notes.end(),
                                 [](const MetaNote& one) { return one.pass == Pass::kBatch; });
  ASSERT_NE(note, meta.notes.end());
  EXPECT_EQ(note->line, 8U);
}

TEST(Batch, MustNotTakeWhatKernelsDecideOrWhatIsNoLoop) {
  const auto batches = [](const std::string& mode, const std::string& body) {
    const Program program = Program::parse("mode " + mode + "\n" + kHead + body);
    return print(compile(program.tree(), all_passes()), program.tree())[0].text == "in few launches:";
  };
  EXPECT_TRUE(batches("CREW", "private a = p\nfor k = 0 to n { a = A[(p + k) % n]\nA[p] = a }\n"));
  EXPECT_FALSE(batches("CREW", "A[p] = B[n - 1 - p]\nC[p, 0] = A[n - 1 - p]\n"));      // no loop
  EXPECT_FALSE(batches("CREW", "while x < 3 { if p == 0 { x = x + A[n - 1] }\n}\n"));  // a cell decides
  EXPECT_FALSE(batches("CREW", "for k = 0 to n { A[p] = A[n - 1 - p] }\n"));           // a second copy
  EXPECT_FALSE(batches("CRCW priority", "for k = 0 to n { A[p / 2] = B[p] + k }\n"));  // resolved
}

TEST(Passes, AreSwitchedOffByName) {
  for (const PassInfo& info : passes()) {
    const Passes rest = without(all_passes(), info.name);
    EXPECT_FALSE(has(rest, info.pass));
    EXPECT_EQ(rest.count(), all_passes().count() - 1);
    EXPECT_EQ(info.pass, passes()[static_cast<size_t>(info.pass)].pass);
  }
  EXPECT_TRUE(without(all_passes(), "all").none());
  EXPECT_THROW(without(all_passes(), "lops"), UserError);
}

TEST(Passes, EachHasWorkInTheLibrary) {
  Passes seen;
  for (const LibraryProgram& program : library()) {
    for (const MetaNote& note : compile(library_program(program.name).tree()).notes) {
      seen.set(static_cast<size_t>(note.pass));
    }
  }
  EXPECT_TRUE(seen.all());
}

}  // namespace
}  // namespace lanewise::pram
