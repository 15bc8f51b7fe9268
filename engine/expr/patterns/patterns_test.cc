#include <gtest/gtest.h>

#include "base/error.h"
#include "base/testing/test_size.h"
#include "expr/functions/build.h"
#include "expr/patterns/functions.h"
#include "expr/patterns/match_rows.h"
#include "expr/patterns/prepared_pattern.h"
#include "expr/testing/check_function.h"

namespace lanewise::expr::testing {
namespace {

const Type kText = TypeId::kVarchar;
const Type kInt = TypeId::kInt32;

std::string pick(std::mt19937& random, const std::vector<std::string>& pieces, size_t most) {
  std::string text;
  for (size_t n = random() % (most + 1); n > 0; --n) text += pieces[random() % pieces.size()];
  return text;
}

Value like_values(size_t argument, std::mt19937& random) {
  if (argument == 2) return Value::varchar(pick(random, {"$", "$", "$", "%"}, 1));
  if (argument == 0 && random() % 4 == 0) return Value::varchar(random_text(random));
  static const std::vector<std::string> kTexts = {
      "a", "b", "ab", "ä", "Ä", "B", "%", "_", "$", "\n", std::string(1, '\0')};
  std::vector<std::string> pieces = kTexts;
  if (argument == 1) pieces.insert(pieces.end(), {"%", "%", "%", "_", "$%", "$_", "$$"});
  return Value::varchar(pick(random, pieces, argument == 0 ? 10 : 5) +
                        (argument == 1 ? pick(random, {"a", "%"}, 1) : ""));
}

Value glob_values(size_t argument, std::mt19937& random) {
  static const std::vector<std::string> kTexts = {"a", "b", "c", "ä", "]",  "[",
                                                  "-", "!", "*", "?", "\\", "\n"};
  std::vector<std::string> pieces = kTexts;
  if (argument == 1)
    pieces.insert(pieces.end(), {"*", "*", "?", "[a-c]", "[!a]", "[]a]", "[", "\\*", "a", "b"});
  return Value::varchar(pick(random, pieces, argument == 0 ? 8 : 5));
}

std::string random_regex(std::mt19937& random) {
  return pick(
             random,
             {"a", "b", "ab", ".", "a*", "(a|b)", "(ab)+", "[a-c]", "ä", "\\b", "x?", "(?:b|)", "[^a]", ".*"},
             4) +
         pick(random, {"$", "c"}, 1);
}

/// A text, a regular expression, and options.
Value regex_values(size_t argument, std::mt19937& random) {
  if (argument == 0) {
    if (random() % 4 == 0) return Value::varchar(random_text(random));
    return Value::varchar(pick(random, {"a", "b", "A", "ab", "c", "ä", "Ä", " ", "\n", "x"}, 10));
  }
  if (argument == 1) return Value::varchar(random_regex(random));
  return Value::varchar(pick(random, {"i", "s", "c", "m", " "}, 2));
}

/// A text, a regular expression, a group, and options.
Value extract_values(size_t argument, std::mt19937& random) {
  if (argument == 2) return Value::int32(static_cast<int32_t>(random() % 3));
  return regex_values(argument == 3 ? 2 : argument, random);
}

/// A text, a regular expression, a replacement, and options.
Value replace_values(size_t argument, std::mt19937& random) {
  if (argument == 2) return Value::varchar(pick(random, {"-", "\\0", "\\1", "<\\0>", "ä", "\\\\"}, 3));
  if (argument == 3) return Value::varchar(pick(random, {"i", "g", "g", "s"}, 3));
  return regex_values(argument, random);
}

/// A text and a part of it, or almost.
Value part_values(size_t argument, std::mt19937& random) {
  static const std::vector<std::string> kPieces = {"a", "b", "%", "_", "\\", "ä", std::string(1, '\0'), "$"};
  if (argument == 0 && random() % 4 == 0) return Value::varchar(random_text(random));
  return Value::varchar(pick(random, kPieces, argument == 0 ? 12 : 3));
}

TEST(Patterns, Like) {
  for (const char* name : {"~~", "!~~", "~~*", "!~~*"}) check_function(name, {kText, kText}, like_values);
  for (const char* name : {"like_escape", "not_like_escape", "ilike_escape", "not_ilike_escape"}) {
    check_function(name, {kText, kText, kText}, like_values);
  }
}

TEST(Patterns, Glob) { check_function("~~~", {kText, kText}, glob_values); }

TEST(Patterns, Parts) {
  for (const char* name : {"contains", "prefix", "suffix", "starts_with", "ends_with", "^@"}) {
    check_function(name, {kText, kText}, part_values);
  }
}

TEST(Patterns, Regex) {
  for (const char* name : {"regexp_matches", "regexp_full_match"}) {
    check_function(name, {kText, kText}, regex_values);
    check_function(name, {kText, kText, kText}, regex_values, {2});
  }
}

TEST(Patterns, Extract) {
  check_function("regexp_extract", {kText, kText}, extract_values);
  check_function("regexp_extract", {kText, kText, kInt}, extract_values, {2});
  check_function("regexp_extract", {kText, kText, kInt, kText}, extract_values, {2, 3});
}

TEST(Patterns, Replace) {
  check_function("regexp_replace", {kText, kText, kText}, replace_values);
  check_function("regexp_replace", {kText, kText, kText, kText}, replace_values, {3});
}

Value evaluated(std::string_view name, std::vector<Value> args, MemoryBudget* budget = nullptr) {
  Arena arena(budget);
  EvalContext context;
  context.arena = &arena;
  context.budget = budget;
  std::vector<ExprPtr> literals;
  for (Value& arg : args) literals.push_back(literal(std::move(arg)));
  const ExprPtr expr = call(name, literals);
  return value_at(evaluate(*expr, {}, ActiveSet(1, arena), context), 0);
}

const auto v = [](std::string text) { return Value::varchar(std::move(text)); };

TEST(Patterns, AnswerAsDuckDb) {
  EXPECT_TRUE(evaluated("~~", {v("straße"), v("st%_e")}).is_true());
  EXPECT_FALSE(evaluated("~~", {v("ä"), v("__")}).is_true());
  EXPECT_TRUE(evaluated("~~*", {v("ÄRGER"), v("ä%r")}).is_true());
  EXPECT_TRUE(evaluated("like_escape", {v("a%"), v("a$%"), v("$")}).is_true());
  EXPECT_FALSE(evaluated("~~~", {v("a["), v("a[")}).is_true());
  EXPECT_TRUE(evaluated("contains", {v("abc"), v("")}).is_true());
  EXPECT_TRUE(evaluated("contains", {v("50%"), v("0%")}).is_true());
  EXPECT_FALSE(evaluated("contains", {v("500"), v("0%")}).is_true());
  EXPECT_EQ(evaluated("regexp_extract", {v("abc"), v("(b)"), Value(kInt)}), v(""));
  EXPECT_EQ(evaluated("regexp_extract", {v("abc"), v("(b)"), Value::int32(2)}), v(""));
  EXPECT_TRUE(evaluated("regexp_extract", {v("abc"), Value(kText)}).is_null());
  EXPECT_EQ(evaluated("regexp_replace", {v("abcb"), v("b"), v("[\\0]"), v("g")}), v("a[b]c[b]"));
  EXPECT_EQ(evaluated("regexp_replace", {v("abcb"), v("b"), v("\\1")}), v("abcb"));
  EXPECT_TRUE(evaluated("regexp_matches", {v("abc"), Value(kText)}).is_null());
}

TEST(Patterns, ReplaceRefusesWhatIsTooLong) {
  MemoryBudget budget(16 << 20);
  const Value text = v(std::string(100'000, 'a'));
  const Value rewrite = v(std::string(100'000, 'b'));
  EXPECT_THROW(evaluated("regexp_replace", {text, v("a"), rewrite, v("g")}, &budget), UserError);
  std::string backs;
  for (int i = 0; i < 100'000; ++i) backs += "\\0";
  EXPECT_THROW(evaluated("regexp_replace", {text, v("a+"), v(backs)}, &budget), UserError);
  EXPECT_EQ(evaluated("regexp_replace", {text, v("a"), v("bb"), v("g")}, &budget).text().size(), 200'000);
}

std::string error_of(std::string_view name, std::vector<Value> args) {
  try {
    evaluated(name, std::move(args));
  } catch (const UserError& error) {
    return error.what();
  }
  return "no error";
}

TEST(Patterns, ErrorsMarkThePlace) {
  EXPECT_EQ(error_of("regexp_matches", {v("x"), v("ab(c")}),
            "invalid regular expression: missing closing ')'\n  ab(c\n    ^");
  EXPECT_EQ(error_of("like_escape", {v("abc"), v("ab$"), v("$")}),
            "invalid LIKE pattern: it must not end with the escape character\n  ab$\n    ^");
  EXPECT_NE(error_of("like_escape", {v("a"), v("ab"), v("$$")}), "no error");
  EXPECT_NE(error_of("regexp_matches", {v("x"), v("x"), v("q")}), "no error");
  EXPECT_NE(error_of("regexp_matches", {v("x"), v("x"), v("g")}), "no error");
  EXPECT_EQ(error_of("regexp_matches", {v("x"), v("x"), Value(kText)}),
            "the options of a regular expression must be a constant string");
  EXPECT_EQ(error_of("regexp_extract", {v("x"), v("x"), Value::int32(10)}),
            "regexp_extract: the group must be a number from 0 to 9, not 10");
  EXPECT_THROW(call("regexp_extract", {column(0, kText), literal(v("a")), column(1, kInt)}), UserError);
}

TEST(Patterns, EscapeAtTheEndMattersWhereATextGetsThere) {
  const auto like = [](const char* text, const char* pattern) {
    return evaluated("like_escape", {v(text), v(pattern), v("$")}).is_true();
  };
  EXPECT_THROW(evaluated("like_escape", {v("a%b"), v("a%%%"), v("%")}), UserError);
  for (const char* text : {"a", "a%"})
    EXPECT_TRUE(evaluated("like_escape", {v(text), v("a%%%"), v("%")}).is_true());
  EXPECT_FALSE(evaluated("like_escape", {v("ab"), v("a%%%"), v("%")}).is_true());
  EXPECT_TRUE(evaluated("ilike_escape", {v("A"), v("a%"), v("%")}).is_true());
  EXPECT_TRUE(evaluated("like_escape", {v(""), v("%"), v("%")}).is_true());
  EXPECT_THROW(evaluated("ilike_escape", {v("BA"), v("bX"), v("x")}), UserError);
  EXPECT_FALSE(like("xyz", "a$"));
  EXPECT_FALSE(like("a", "a$"));
  EXPECT_THROW(like("ab", "a$"), UserError);
  EXPECT_THROW(like("ab", "%$"), UserError);
  EXPECT_FALSE(like("", "%$"));
  EXPECT_TRUE(like("a$", "a$$"));
  EXPECT_TRUE(evaluated("not_like_escape", {v("xyz"), v("a$"), v("$")}).is_true());
}

TEST(Patterns, ManyPatternsOfTheRows) {
  Chunk chunk;
  std::vector<Value> texts, patterns;
  for (int i = 0; i < 1000; ++i) {
    texts.push_back(v("row " + std::to_string(i % 500)));
    patterns.push_back(v("%" + std::to_string(i % 250) + "%"));
  }
  chunk.add(kText, texts, Layout::kText);
  chunk.add(kText, patterns, Layout::kText);
  check(*call("~~", {column(0, kText), column(1, kText)}), chunk, ActiveSet(1000, chunk.arena()),
        lanes::simd());
}

TEST(Patterns, DescribeNamesTheMatcher) {
  const auto describe = [](std::string_view name, const std::string& pattern) {
    return call(name, {column(0, kText), literal(v(pattern))})->prepared->describe(lanes::simd(), {});
  };
  EXPECT_EQ(describe("contains", "abc"), describe("~~", "%abc%"));
  EXPECT_TRUE(describe("contains", "abc").starts_with("contains (")) << describe("contains", "abc");
  EXPECT_TRUE(describe("prefix", "abc").starts_with("prefix (")) << describe("prefix", "abc");
  EXPECT_TRUE(describe("suffix", "abc").starts_with("suffix (")) << describe("suffix", "abc");
  EXPECT_EQ(call("~~", {column(0, kText), column(1, kText)})->prepared->describe(lanes::simd(), {}),
            "patterns of the rows, compiled as they come");
}

TEST(Patterns, LongViewsAreMatchedAlone) {
  Chunk chunk;
  std::vector<Value> texts;
  for (int i = 0; i < 200; ++i)
    texts.push_back(
        v(std::string(static_cast<size_t>(i) * test_size(30, 300), 'x') + (i % 3 == 0 ? "end" : "")));
  chunk.add(kText, texts, Layout::kViews);
  check(*call("suffix", {column(0, kText), literal(v("end"))}), chunk, ActiveSet(200, chunk.arena()),
        lanes::simd());
  check(*call("regexp_matches", {column(0, kText), literal(v("x.*d$"))}), chunk,
        ActiveSet(200, chunk.arena()), lanes::simd());
}

TEST(Patterns, TableIsComplete) {
  for (const Function& function : pattern_functions()) {
    EXPECT_NE(function.resolve, nullptr) << function.name;
    EXPECT_NE(function.prepare, nullptr) << function.name;
    EXPECT_TRUE(function.evaluate != nullptr || function.select != nullptr) << function.name;
    EXPECT_NE(function.reference, nullptr) << function.name;
    EXPECT_FALSE(function.documentation.empty()) << function.name;
    EXPECT_FALSE(function.example.empty()) << function.name;
  }
}

}  // namespace
}  // namespace lanewise::expr::testing
