// What the checker reports for programs, correct and incorrect.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "pram/language/format.h"
#include "pram/language/program.h"
#include "pram/library.h"
#include "pram/run.h"

namespace lanewise::pram {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

std::vector<std::string> mistakes(const std::string& text) {
  try {
    Program::parse(text);
    return {};
  } catch (const ProgramError& error) {
    std::vector<std::string> result;
    for (const Diagnostic& diagnostic : error.diagnostics()) {
      result.push_back(std::to_string(diagnostic.place.line) + ": " + diagnostic.message);
    }
    return result;
  }
}

std::string advice(const std::string& text) {
  try {
    Program::parse(text);
    return "";
  } catch (const ProgramError& error) {
    return error.diagnostics()[0].advice;
  }
}

/// The value of an expression that one processor computes.
Word value(const std::string& type, const std::string& expression) {
  const Program program = Program::parse("mode EREW output x : " + type + " x = " + expression);
  return run(program, {}).outputs.at("x").words[0];
}

TEST(Checker, ReportsSeveralMistakesWithPlaceAndAdvice) {
  const std::string text =
      "mode CREW\n"
      "input A[n] : int\n"
      "output total : int\n"
      "processors n\n"
      "totl = A[p] + \n"
      "total = A[p] + true\n"
      "total = B[p]\n"
      "if A[p] { total = 1 }\n";
  EXPECT_THAT(mistakes(text),
              ElementsAre("5: an expression is missing after '+'", "6: '+' takes numbers, not int and bool",
                          "8: the condition of if is bool, not int"));
  try {
    Program::parse("mode EREW\noutput total : int\ntotl = 1\n", "sum.pram");
    FAIL();
  } catch (const ProgramError& error) {
    EXPECT_STREQ(error.what(),
                 "sum.pram:3:1: 'totl' is not declared\n"
                 "    3 | totl = 1\n"
                 "      | ^~~~\n"
                 "      = is 'total' meant?\n");
  }
}

TEST(Checker, FindsEachKindOfMistake) {
  const std::string head = "mode EREW\ninput A[n] : int\noutput x : int\nshared r : real\nprocessors n\n";
  const auto first = [&](const std::string& rest) {
    const std::vector<std::string> found = mistakes(head + rest);
    return found.empty() ? "" : found[0];
  };
  EXPECT_EQ(first("x = A[p]"), "");
  EXPECT_EQ(first("x = A"), "6: 'A' is an array");
  EXPECT_EQ(first("x = A[p, p]"), "6: 'A' has 1 dimension, and 2 indexes are given");
  EXPECT_EQ(first("A[p] = 1"), "6: 'A' is an input and is not written");
  EXPECT_EQ(first("n = 1"), "6: 'n' cannot be assigned to");
  EXPECT_EQ(first("p = 1"), "6: 'p' cannot be assigned to");
  EXPECT_EQ(first("x = 1.5"), "6: 'x' is int, not real");
  EXPECT_EQ(first("r = 2"), "");
  EXPECT_EQ(first("x, x = 1, 2"), "6: a variable is assigned twice in one step");
  EXPECT_EQ(first("x, r = 1"), "6: 2 variables and 1 values");
  EXPECT_EQ(first("x == 1"), "6: '==' compares; an assignment has one '='");
  EXPECT_EQ(first("x = 1 < 2 < 3"), "6: comparisons do not chain");
  EXPECT_EQ(first("x = 9223372036854775808"), "6: the number does not fit int");
  EXPECT_EQ(first("x = 2n"), "6: a number ends before 'n'");
  EXPECT_EQ(first("x = min(1)"), "6: 'min' takes at least 2 arguments");
  EXPECT_EQ(first("x = xor(1, 2.0)"), "6: 'xor' takes integers, not int and real");
  EXPECT_EQ(first("x = mni(1, 2)"), "6: there is no function 'mni'");
  EXPECT_EQ(first("x = f(1)\nfunction f(a : int) : int = a"), "");
  EXPECT_EQ(first("while true { x = 1"), "6: '}' is missing after the statements; here the program ends");
  EXPECT_EQ(first("}"), "6: '}' closes nothing");
  EXPECT_EQ(first("private x2"), "6: the type of 'x2' is missing");
  EXPECT_EQ(first("private y : int private y : int"), "6: 'y' is declared twice");
  EXPECT_EQ(first("processors 3 { x = 1 }"), "6: processors within processors");
  EXPECT_EQ(first("for k = 1 to 3 step 0 { x = k }"), "6: the step is not positive");
  EXPECT_EQ(first("x = $"), "6: '$' means nothing here");
  EXPECT_EQ(first("shared B[A[0]] : int"), "6: an extent is computed before the program runs");
  EXPECT_EQ(first("if 1 { x = 1 }"), "6: the condition of if is bool, not int");
}

TEST(Checker, AdvisesWordsOfTheLanguage) {
  EXPECT_EQ(advice("mode EREW output x : int\nprocesors 3"), "is 'processors' meant?");
  EXPECT_EQ(advice("mode EREW output x : int\nwihle x > 1 { x = 2 }"), "is 'while' meant?");
  EXPECT_EQ(advice("mode EREW output x : int\nx 3"), "");
}

TEST(Checker, AMistakeIsReportedOnce) {
  EXPECT_THAT(mistakes("mode EREW\noutput x : real\nprivate y = zz\ny = 1.5\nx = y + 1\n"),
              ElementsAre("3: 'zz' is not declared"));
  EXPECT_THAT(mistakes("mode EREW\noutput x : real\nprivate y : int = true\ny = 1.5\n"),
              ElementsAre("3: 'y' is int, not bool", "4: 'y' is int, not real"));
}

TEST(Checker, KnowsHabitsOfOtherLanguages) {
  const auto hint = [](const std::string& line) {
    const std::string text =
        "mode EREW\ninput A[n] : int\noutput x : int\noutput B[n] : int\nprocessors n\n" + line;
    const std::vector<std::string> found = mistakes(text + "\n");
    EXPECT_EQ(found.size(), 1u) << line;
    return found.empty() ? "" : found[0] + " = " + advice(text);
  };
  EXPECT_EQ(hint("x += 1"), "6: there is no '+=' = write x = x + 1");
  EXPECT_EQ(hint("B[p] -= A[p] - 1 # less"), "6: there is no '-=' = write B[p] = B[p] - (A[p] - 1)");
  EXPECT_EQ(hint("x -= p+1; x = 2"), "6: there is no '-=' = write x = x - (p+1)");
  EXPECT_EQ(hint("if p == 0 { x *= 2 }"), "6: there is no '*=' = write x = x * 2");
  EXPECT_EQ(hint("x += ; x = 1"), "6: there is no '+=' = write x = x + ...");
  EXPECT_EQ(hint("if p == 0 { x++ }"), "6: there is no '++' = write x = x + 1");
  EXPECT_EQ(hint("x-- x = 2"), "6: there is no '--' = write x = x - 1");
  EXPECT_EQ(hint("x := A[p]; x = 1"), "6: there is no ':=' = write x = A[p]");
  EXPECT_EQ(hint("x <- 1"), "6: there is no '<-' = write x = 1");
  const std::string loops =
      " = one after the other: for k = 0 to n - 1 { ... }; all at once: processors i < n { ... }";
  EXPECT_EQ(hint("for i = 0 to n - 1 pardo { B[i] = A[i] }"),
            "6: '{' is missing before the statements; here stands 'pardo'" + loops);
  EXPECT_EQ(hint("for i in 0..n\n{\n  B[i] = i\n}"),
            "6: '=' is missing after the loop's variable; here stands 'in'" + loops);
  EXPECT_EQ(hint("for (i = 0; i < n; i++) {\n  B[i] = i\n}"),
            "6: a name is missing; here stands '('" + loops);
  EXPECT_EQ(hint("forall i in 0 to n {\n  if i == 0 {\n    B[i] = i\n  }\n}"),
            "6: there is no 'forall'" + loops);
}

TEST(Checker, AMistakeIsOneError) {
  const std::string head = "mode EREW\noutput x : int\n";
  EXPECT_THAT(mistakes(head + "x $= $ 1 1\n"),
              ElementsAre("3: '$' means nothing here", "3: '$' means nothing here"));
  EXPECT_THAT(mistakes(head + "fro k = 0 to 3 {\n  x = k\n}\nx = true\n"),
              ElementsAre("3: '=' is missing in the assignment; here stands 'k'", "6: 'x' is int, not bool"));
  EXPECT_THAT(mistakes(head + "whle x == 0 {\n  x = 1\n} else {\n  x = 2\n}\n"),
              ElementsAre("3: '=' is missing in the assignment; here stands 'x'"));
  EXPECT_THAT(mistakes(head + "shared y : itn\ninput A[n : int\nx = y + A[0]\nx = f(n)\n"),
              ElementsAre("3: a type is missing; here stands 'itn'",
                          "4: ']' is missing after the list; here stands ':'"));
}

TEST(Checker, ShowsTheLastWordWhereTheProgramEnds) {
  const std::string head = "mode EREW\noutput x : int\n";
  EXPECT_THAT(mistakes(head + "x = \n\n"), ElementsAre("3: an expression is missing; here the program ends"));
  EXPECT_THAT(mistakes(head + "if x == 0 {\n  x = 1 # }\n\n"),
              ElementsAre("4: '}' is missing after the statements; here the program ends"));
  EXPECT_THAT(mistakes(head + "while x == 0 { y z\n\n"),
              ElementsAre("3: '=' is missing in the assignment; here stands 'z'"));
}

TEST(Checker, APrivateNameHidesNothing) {
  const std::string head =
      "mode CREW\ninput A[n] : int\noutput x : int\nconst c = 1\nprocessors n\nprivate y = 1\n";
  for (const char* name : {"n", "A", "x", "c", "p", "y"}) {
    const std::vector<std::string> twice = {"7: '" + std::string(name) + "' is declared twice"};
    EXPECT_EQ(mistakes(head + "private " + name + " : int\n"), twice);
    EXPECT_EQ(mistakes(head + "if p == 0 { private " + name + " = 2 }\n"), twice);
    EXPECT_EQ(mistakes(head + "for " + name + " = 0 to 2 { }\n"), twice);
    EXPECT_THAT(mistakes(head + "function f(" + name + " : int) : int = 1\n"), IsEmpty());
  }
  EXPECT_THAT(mistakes(head + "for k = 0 to 2 { private z = k } for k = 0 to 2 { private z = k }\n"),
              IsEmpty());
}

TEST(Checker, ModesAndFunctions) {
  EXPECT_THAT(mistakes("output x : int x = 1"), ElementsAre("1: the mode is not declared"));
  EXPECT_THAT(mistakes("mode ERCW output x : int x = 1"), ElementsAre("1: there is no such mode"));
  EXPECT_THAT(mistakes("mode CRCW combining -\noutput x : int x = 1"), testing::Not(IsEmpty()));
  EXPECT_THAT(mistakes("mode CRCW combining +\noutput x : bool x = true"),
              ElementsAre("2: values of bool are not combined by '+'"));
  EXPECT_THAT(mistakes("mode CRCW combining +\noutput x : bool combining or x = true"), IsEmpty());
  EXPECT_THAT(mistakes("mode CRCW combining +\noutput x : int combining - x = 1"),
              ElementsAre("2: values are not combined like this"));
  EXPECT_THAT(mistakes("mode CREW\noutput x : int combining + x = 1"),
              ElementsAre("2: only mode CRCW combining combines values"));
  EXPECT_THAT(mistakes("mode CRCW combining +\ninput A[n] : int combining + output x : int x = A[0]"),
              ElementsAre("2: an input is never written"));
  EXPECT_THAT(mistakes("mode EREW\noutput x : int\nfunction f(a : int) : int = g(a)\nfunction g(a : int) : "
                       "int = f(a)\nx = f(1)"),
              ElementsAre("3: 'g' is called before it is declared"));
  EXPECT_THAT(advice("mode EREW output x : int x = p"), HasSubstr("processors n"));
  std::string text = "mode EREW output x : int\nfunction f0(a : int) : int = a + a * a\n";
  for (int i = 1; i < 40; ++i) {
    const std::string last = "f" + std::to_string(i - 1);
    text += "function f" + std::to_string(i) + "(a : int) : int = " + last + "(a + 1) + " + last + "(a)\n";
  }
  EXPECT_THAT(mistakes(text + "x = f39(1)"), testing::Contains(HasSubstr("too large")));
}

TEST(Checker, ALongLineTakesNoLongTime) {
  std::string text = "mode EREW output x : int ";
  while (text.size() < (size_t{1} << 20) - 10) text += "x+=1 x:=2 ";
  EXPECT_EQ(mistakes(text).size(), 1u);
}

TEST(Checker, NestingIsBounded) {
  const std::string open(100'000, '(');
  EXPECT_THAT(mistakes("mode EREW output x : int x = " + open), testing::Not(IsEmpty()));
  std::string sum = "1";
  std::string blocks;
  for (int i = 0; i < 10'000; ++i) {
    sum += " + 1";
    blocks += "if true {";
  }
  EXPECT_THAT(mistakes("mode EREW output x : int x = " + sum), testing::Not(IsEmpty()));
  EXPECT_THAT(mistakes("mode EREW output x : int " + blocks), testing::Not(IsEmpty()));
}

TEST(Language, Arithmetic) {
  EXPECT_EQ(value("int", "7 / 2 * 2 + 7 % 2"), 7);
  EXPECT_EQ(value("int", "-7 / 2"), -4);
  EXPECT_EQ(value("int", "-7 % 3"), 2);
  EXPECT_EQ(value("int", "7 % -3"), -2);
  EXPECT_EQ(value("int", "-9223372036854775808"), std::numeric_limits<int64_t>::min());
  EXPECT_EQ(value("int", "2 - 3 - 4"), -5);
  EXPECT_EQ(value("int", "log2(1) + log2(1023) + log2(1024)"), 19);
  EXPECT_EQ(value("int", "xor(6, 3) + bit_and(6, 3) + bit_or(6, 3)"), 14);
  EXPECT_EQ(value("int", "shift_left(3, 4) + shift_right(-5, 1)"), 45);
  EXPECT_EQ(value("int", "min(4, 2, 3) + max(1, 5) + abs(-4)"), 11);
  EXPECT_EQ(value("int", "int(2.9) + int(-2.9) + int(true)"), 1);
  EXPECT_EQ(value("int", "true ? 1 : 1 / 0"), 1);
  EXPECT_EQ(value("bool", "false and 1 / 0 == 1"), 0);
  EXPECT_EQ(value("bool", "true or 1 / 0 == 1"), 1);
  EXPECT_EQ(value("bool", "not 1 > 2 and 3 >= 3 and 1 != 2 and true != false"), 1);
  EXPECT_EQ(real_of(value("real", "7 / 2.0 + sqrt(16) + floor(1.5) + ceil(1.5) + 1e2")), 110.5);
  EXPECT_EQ(value("bool", "infinity > 1e300"), 1);
  EXPECT_EQ(value("int32", "int32(5) * 3 - 1"), 14);
}

TEST(Language, WhatFailsSaysWhy) {
  const auto failure = [](const std::string& type, const std::string& expression) -> std::string {
    try {
      value(type, expression);
      return "";
    } catch (const RunError& error) {
      EXPECT_EQ(error.step(), 1u);
      return error.what();
    }
  };
  EXPECT_THAT(failure("int", "9223372036854775807 + 1"), HasSubstr("9223372036854775807 + 1 overflows int"));
  EXPECT_THAT(failure("int", "1 / (2 - 2)"), HasSubstr("1 / 0: division by zero"));
  EXPECT_THAT(failure("int", "1 % (2 - 2)"), HasSubstr("1 % 0: division by zero"));
  EXPECT_THAT(failure("int", "-9223372036854775808 / -1"), HasSubstr("overflows int"));
  EXPECT_THAT(failure("int", "abs(-9223372036854775808)"), HasSubstr("overflows int"));
  EXPECT_THAT(failure("int", "log2(0)"), HasSubstr("only positive numbers"));
  EXPECT_THAT(failure("int", "shift_left(1, 63)"), HasSubstr("overflows int"));
  EXPECT_THAT(failure("int", "shift_left(1, 64)"), HasSubstr("0 to 63"));
  EXPECT_THAT(failure("int", "int(1e19)"), HasSubstr("1e+19 does not fit int"));
  EXPECT_THAT(failure("int32", "int32(2147483647) + 1"), HasSubstr("overflows int32"));
  EXPECT_THAT(failure("int32", "int32(2147483648)"), HasSubstr("does not fit int32"));
}

TEST(Language, FunctionsAreWrittenOut) {
  const std::string text =
      "mode CREW\n"
      "input A[n] : int\n"
      "output B[n] : int\n"
      "function square(x : int) : int = x * x\n"
      "function left(i : int) : int = A[i > 0 ? i - 1 : n - 1]\n"
      "function both(i : int) : int = square(A[i]) + square(left(i) + 1)\n"
      "processors n\n"
      "B[p] = both(p)\n";
  EXPECT_EQ(run(Program::parse(text), {{"A", ints({1, 2, 3})}}).outputs.at("B").words,
            (std::vector<Word>{1 + 16, 4 + 4, 9 + 9}));
}

TEST(Lint, WarnsOfWhatIsNotMeant) {
  const auto warnings = [](const std::string& text) {
    std::vector<std::string> result;
    const Program program = Program::parse(text);
    for (const Diagnostic& warning : program.warnings()) result.push_back(warning.message);
    return result;
  };
  EXPECT_THAT(
      warnings("mode EREW input A[n] : int output x : int const k = 2 processors n private y = 1 x = 1"),
      ElementsAre("'A' is never read", "'k' is never read", "'y' is never read",
                  "all processors write 'x' at once, which EREW forbids"));
  EXPECT_THAT(warnings("mode EREW input n : int inout x : int output B[n] : int processors n B[p] = x"),
              ElementsAre("'x' is never assigned", "all processors read 'x' at once, which EREW forbids"));
  EXPECT_THAT(warnings("mode CREW inout x : int processors 3 if false { x = 1 } if p == 0 { x = 2 }"),
              ElementsAre("no processor is ever active here"));
  EXPECT_THAT(warnings("mode CRCW common output x : int processors 3 x = 1"), IsEmpty());
  EXPECT_THAT(
      warnings("mode CRCW common input n : int output x : int output A[n] : int processors n x = p + n "
               "A[(p + 1) / 2] = 3 - p A[p / 2] = p - 1"),
      ElementsAre("all processors write different values to 'x' at once, which CRCW common forbids",
                  "neighbours write different values to 'A[p / 2]' at once, which CRCW common forbids"));
  EXPECT_THAT(warnings("mode EREW inout A[n] : int processors n A[p / 2] = A[(p - 1) / 2]"),
              ElementsAre("neighbours write 'A[p / 2]' at once, which EREW forbids",
                          "neighbours read 'A[(p - 1) / 2]' at once, which EREW forbids"));
  EXPECT_THAT(
      warnings("mode EREW output x : int function f(a : int) : int = a function g(a : int) : int = f(a) "
               "x = 1"),
      ElementsAre("'g' is never called"));
}

TEST(Lint, KnowsWhatNeverHolds) {
  const auto warnings = [](const std::string& condition) {
    std::vector<std::string> result;
    const Program program =
        Program::parse("mode CREW input A[n] : int output x : int const k = 5 processors n while " +
                       condition + " { if p == 0 { x = x + A[p] } }");
    for (const Diagnostic& warning : program.warnings()) result.push_back(warning.message);
    return result;
  };
  // Other warnings, such as that `k` is not read, are ignored.
  const auto never = testing::Contains("no processor is ever active here");
  const auto ever = testing::Contains("the loop never ends");
  for (const char* condition : {"false", "1 > 2", "p < 0", "p >= n", "p == n", "n < 0 and x == 0",
                                "k + 1 <= 5", "p + n < 0", "k != 5", "min(p, 3) > 3", "p % 4 == 4",
                                "not (p >= 0 or x == 1)", "abs(x) < 0", "n * p < 0", "n < p"}) {
    EXPECT_THAT(warnings(condition), never) << condition;
  }
  for (const char* condition : {"true", "p < n", "p >= 0", "k == 5", "p - 1 < n or k > 4", "max(x, 1) > 0"}) {
    EXPECT_THAT(warnings(condition), ever) << condition;
  }
  for (const char* condition :
       {"x < 5", "p > 0", "p <= n - 1 and x == 0", "p < 9223372036854775807", "-p == 0", "x >= x", "n > 0",
        "x % p == -1", "p + 1 < n", "x * x < 0", "x / 2 == 1", "2.5 < 1.5", "x - 9223372036854775807 < 0"}) {
    EXPECT_THAT(warnings(condition), testing::Not(testing::AnyOf(never, ever))) << condition;
  }
  const Program program = Program::parse(
      "mode CREW output x : int processors 0 { if p == 0 { x = 1 } }\nif true { x = 2 } else {\nx = 3 }");
  ASSERT_EQ(program.warnings().size(), 2u);
  EXPECT_EQ(program.warnings()[0].advice, "there are no processors");
  EXPECT_EQ(program.warnings()[1].place.line, 3u);
}

TEST(Lint, SaysNothingOfSureConflictsThatAreNone) {
  for (const char* text :
       {"mode EREW input n : int output A[n] : int processors n A[2 * p / 2] = 1",
        "mode EREW input n : int output A[n] : int processors n A[p / 1] = 1",
        "mode EREW input n : int output A[n] : int processors n if p % 2 == 0 { A[p / 2] = 1 }",
        "mode CRCW common input n : int output A[n] : int processors n A[p / 2] = p / 2",
        "mode EREW input n : int output A[n] : int processors i < n, j < 2 A[2 * i / 2] = 1"}) {
    EXPECT_THAT(Program::parse(text).warnings(), IsEmpty()) << text;
  }
}

TEST(Format, HasOneForm) {
  EXPECT_EQ(
      format("mode   EREW\n\n\n\ninput A[ n ]:int # the\tinput\nif p==0{\nA[p]=-1-(-2)*f( p,1 )\n}else{x=1}"),
      "mode EREW\n\ninput A[n] : int  # the\tinput\nif p == 0 {\n  A[p] = -1 - (-2) * f(p, 1)\n} else { x = "
      "1 }\n");
  EXPECT_EQ(format("x = a +\nb\nw = f(1,\n2)\nreal(x) = not(y)"),
            "x = a +\n    b\nw = f(1,\n    2)\nreal(x) = not (y)\n");
  EXPECT_EQ(format("mode CRCW combining +\noutput x:int combining   max\nx = 1"),
            "mode CRCW combining +\noutput x : int combining max\nx = 1\n");
  EXPECT_EQ(format(""), "");
}

}  // namespace
}  // namespace lanewise::pram
