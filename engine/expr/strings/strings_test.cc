#include <gtest/gtest.h>

#include "base/error.h"
#include "expr/functions/build.h"
#include "expr/strings/characters.h"
#include "expr/strings/functions.h"
#include "expr/strings/graphemes.h"
#include "expr/strings/reference.h"
#include "expr/testing/check_function.h"

namespace lanewise::expr::testing {
namespace {

const Type kTextType = TypeId::kVarchar;
const Type kBig = TypeId::kInt64;
const Type kIntType = TypeId::kInt32;
const Type kBlob = TypeId::kBlob;

Value random_varchar(size_t, std::mt19937& random) { return Value::varchar(random_text(random)); }
Value blob(size_t, std::mt19937& random) { return {TypeId::kBlob, random_text(random)}; }
/// The first argument is a text, the others are short.
Value short_needles(size_t argument, std::mt19937& random) {
  return Value::varchar(random_text(random, argument == 0 ? 24 : 2));
}
/// Strings, then positions around their lengths.
Value positions(size_t argument, std::mt19937& random) {
  if (argument == 0) return Value::varchar(random_text(random));
  return Value::int64(random() % 20 == 0 ? static_cast<int64_t>(random() % 300'000) - 150'000
                                         : static_cast<int64_t>(random() % 41) - 20);
}
Value any_positions(size_t argument, std::mt19937& random) {
  static constexpr int64_t kExtremes[] = {INT64_MIN, INT64_MAX, INT64_MIN + 1, 0xFFFFFFFF, -0x100000000};
  if (argument == 0 || random() % 4 != 0) return positions(argument, random);
  return Value::int64(kExtremes[random() % std::size(kExtremes)]);
}
Value separated(size_t argument, std::mt19937& random) {
  static const std::string kSeparators[] = {"a", "ab", "/", "", "aa", "ä", "-", "漢"};
  if (argument == 0) return Value::varchar(random_text(random));
  if (argument == 1) return Value::varchar(kSeparators[random() % std::size(kSeparators)]);
  return Value::int64(static_cast<int64_t>(random() % 13) - 6);
}
Value padding(size_t argument, std::mt19937& random) {
  if (argument == 1) return Value::int32(static_cast<int32_t>(random() % 60) - 10);
  return Value::varchar(random_text(random, argument == 0 ? 24 : 4) + (argument == 2 ? "·" : ""));
}
Value repeats(size_t argument, std::mt19937& random) {
  if (argument == 0) return Value::varchar(random_text(random, 3).substr(0, 100));
  return Value::int64(static_cast<int64_t>(random() % 12) - 3);
}

TEST(Strings, Lengths) {
  for (const char* name :
       {"length", "len", "char_length", "character_length", "length_grapheme", "strlen", "bit_length"}) {
    check_function(name, {kTextType}, random_varchar);
  }
  check_function("octet_length", {kBlob}, blob);
}

TEST(Strings, Case) {
  for (const char* name : {"lower", "lcase", "upper", "ucase"})
    check_function(name, {kTextType}, random_varchar);
}

TEST(Strings, Trim) {
  for (const char* name : {"trim", "ltrim", "rtrim"}) {
    check_function(name, {kTextType}, random_varchar);
    check_function(name, {kTextType, kTextType}, short_needles);
  }
}

TEST(Strings, Substring) {
  check_function("substring", {kTextType, kBig}, positions);
  check_function("substr", {kTextType, kBig, kBig}, positions);
  check_function("array_extract", {kTextType, kBig}, positions);
  check_function("left", {kTextType, kBig}, positions);
  check_function("right", {kTextType, kBig}, any_positions);
  check_function("substring", {kTextType, kBig, kBig}, any_positions);
  check_function("left", {kTextType, kBig}, any_positions);
}

TEST(Strings, Concat) {
  check_function("||", {kTextType, kTextType}, random_varchar);
  check_function("||", {kBlob, kBlob}, blob);
  check_function("concat", {kTextType}, random_varchar);
  check_function("concat", {kTextType, kTextType, kTextType}, random_varchar);
  check_function("concat_ws", {kTextType, kTextType}, random_varchar);
  check_function("concat_ws", {kTextType, kTextType, kTextType, kTextType}, random_varchar);
}

TEST(Strings, SearchAndSplit) {
  check_function("strpos", {kTextType, kTextType}, short_needles);
  check_function("instr", {kTextType, kTextType}, short_needles);
  check_function("position", {kTextType, kTextType}, short_needles);
  check_function("split_part", {kTextType, kTextType, kBig}, separated);
  check_function("string_split_extract", {kTextType, kTextType, kBig}, separated);
}

TEST(Strings, Replace) {
  check_function("replace", {kTextType, kTextType, kTextType}, short_needles);
  check_function("translate", {kTextType, kTextType, kTextType}, [](size_t argument, std::mt19937& random) {
    return Value::varchar(random_text(random, argument == 0 ? 24 : 12));
  });
}

TEST(Strings, RepeatAndPad) {
  check_function("repeat", {kTextType, kBig}, repeats);
  check_function("lpad", {kTextType, kIntType, kTextType}, padding);
  check_function("rpad", {kTextType, kIntType, kTextType}, padding);
}

TEST(Strings, Reverse) { check_function("reverse", {kTextType}, random_varchar); }

TEST(Strings, NormalForms) {
  check_function("nfc_normalize", {kTextType}, random_varchar);
  check_function("strip_accents", {kTextType}, random_varchar);
}

TEST(Strings, CodePoints) {
  check_function("ascii", {kTextType}, random_varchar);
  check_function("unicode", {kTextType}, random_varchar);
  check_function("ord", {kTextType}, random_varchar);
  check_function("chr", {kIntType}, [](size_t, std::mt19937& random) {
    return Value::int32(static_cast<int32_t>(random() % (random() % 2 == 0 ? 0xD800 : 0x300)));
  });
}

TEST(Strings, Encode) {
  check_function("encode", {kTextType}, random_varchar);
  check_function("decode", {kBlob}, blob);
  check_function("hex", {kTextType}, random_varchar);
  check_function("to_hex", {kBlob}, blob);
  check_function("unhex", {kTextType}, [](size_t, std::mt19937& random) {
    std::string digits(random() % 9, ' ');
    for (char& digit : digits) digit = "0123456789abcdefABCDEF"[random() % 22];
    return Value::varchar(digits);
  });
}

Value string_evaluated(std::string_view name, std::vector<Value> args, MemoryBudget* budget = nullptr) {
  Arena arena(budget);
  EvalContext context;
  context.arena = &arena;
  context.budget = budget;
  std::vector<ExprPtr> literals;
  for (Value& arg : args) literals.push_back(literal(std::move(arg)));
  const ExprPtr expr = call(name, literals);
  return value_at(evaluate(*expr, {}, ActiveSet(1, arena), context), 0);
}

std::string text_of(std::string_view name, std::vector<Value> args) {
  return string_evaluated(name, std::move(args)).text();
}

const auto string_value = [](std::string random_varchar) {
  return Value::varchar(std::move(random_varchar));
};
const auto n = [](int64_t number) { return Value::int64(number); };

TEST(Strings, AnswersAsDuckDb) {
  EXPECT_EQ(text_of("substring", {string_value("abc"), n(0), n(2)}), "a");
  EXPECT_EQ(text_of("substring", {string_value("abc"), n(-5), n(3)}), "a");
  EXPECT_EQ(text_of("substring", {string_value("abc"), n(5), n(-3)}), "bc");
  EXPECT_EQ(text_of("substring", {string_value("häuser"), n(-3)}), "ser");
  EXPECT_EQ(text_of("left", {string_value("abc"), n(-1)}), "ab");
  EXPECT_EQ(text_of("right", {string_value("abc"), n(INT64_MIN)}), "");
  EXPECT_EQ(text_of("split_part", {string_value("a-b-c"), string_value("-"), n(-1)}), "c");
  EXPECT_EQ(text_of("split_part", {string_value("a-b-c"), string_value("-"), n(0)}), "");
  EXPECT_EQ(text_of("split_part", {string_value("abc"), string_value(""), n(2)}), "b");
  EXPECT_TRUE(
      string_evaluated("string_split_extract", {string_value("a-b"), string_value("-"), n(3)}).is_null());
  EXPECT_EQ(text_of("reverse", {string_value("noe\u0308l")}), "le\u0308on");
  EXPECT_EQ(text_of("reverse", {string_value("a\r\n")}), "\n\ra");
  EXPECT_EQ(text_of("nfc_normalize", {string_value("noe\u0308l")}), "no\u00ebl");
  EXPECT_EQ(text_of("strip_accents", {string_value("noe\u0308l \u1f82")}), "noel \u03b1");
  EXPECT_EQ(text_of("strip_accents", {string_value(std::string("\u00e9\0\u00e9", 5))}),
            std::string("e\0e", 3));
  EXPECT_EQ(text_of("reverse", {string_value("ä\r\n")}), "\r\nä");
  EXPECT_EQ(text_of("upper", {string_value("straße")}), "STRAẞE");
  EXPECT_EQ(text_of("lower", {string_value("İ")}), "i");
  EXPECT_EQ(text_of("translate", {string_value("abcabc"), string_value("ab"), string_value("x")}), "xcxc");
  EXPECT_EQ(text_of("lpad", {string_value("äbc"), Value::int32(6), string_value("öx")}), "öxöäbc");
  EXPECT_EQ(string_evaluated("unicode", {string_value("")}), Value::int32(-1));
  EXPECT_EQ(string_evaluated("ascii", {string_value("")}), Value::int32(0));
  EXPECT_EQ(string_evaluated("strpos", {string_value("äöü"), string_value("ü")}), n(3));
  EXPECT_EQ(string_evaluated("strpos", {string_value(""), string_value("")}), n(1));
  EXPECT_EQ(string_evaluated("length_grapheme", {string_value("👨‍👩‍👧")}), n(1));
  EXPECT_EQ(string_evaluated("length_grapheme", {string_value("\r\n")}), n(2));
  EXPECT_EQ(text_of("concat_ws", {string_value(","), Value(kTextType), string_value("a"), Value(kTextType),
                                  string_value("b")}),
            "a,b");
  EXPECT_TRUE(string_evaluated("||", {string_value("a"), Value(kTextType)}).is_null());
  EXPECT_EQ(text_of("concat", {string_value("a"), Value(), string_value("b")}), "ab");
  EXPECT_TRUE(string_evaluated("lower", {Value()}).is_null());
}

void expect_error(std::string_view name, std::vector<Value> args, std::string_view message) {
  try {
    string_evaluated(name, std::move(args));
    ADD_FAILURE() << name << " raises nothing";
  } catch (const UserError& error) {
    EXPECT_EQ(error.what(), message);
  }
}

TEST(Strings, ErrorsSayWhatAndWhy) {
  expect_error("chr", {Value::int32(-1)},
               "chr: -1 is not the number of a character (0 to 1114111, without 55296 to 57343)");
  expect_error("chr", {Value::int32(0xD800)},
               "chr: 55296 is not the number of a character (0 to 1114111, without 55296 to 57343)");
  expect_error("lpad", {string_value("abc"), Value::int32(5), string_value("")},
               "lpad: there is nothing to pad with");
  expect_error("substring", {string_value("abc"), n(5'000'000'000)},
               "substring: the start 5000000000 is not in -4294967296 .. 4294967295");
  expect_error("unhex", {string_value("0g")}, "unhex: 'g' is not a hexadecimal digit");
  expect_error("decode", {Value(kBlob, std::string("a\xC3"))},
               "decode: byte 2 of the blob, 0xC3, does not belong to UTF-8 text");
  expect_error("repeat", {string_value("ab"), n(INT64_MAX)},
               "repeat would make a string of 16 EiB; the longest that there can be has 4.0 GiB");
  expect_error("repeat", {string_value("ab"), n(int64_t{3} << 30)},
               "repeat would make a string of 6 GiB; the longest that there can be has 4.0 GiB");
  expect_error(
      "replace",
      {string_value(std::string(100'000, 'a')), string_value("a"), string_value(std::string(100'000, 'b'))},
      "replace would make a string of 9.3 GiB; the longest that there can be has 4.0 GiB");
  expect_error("lpad", {string_value(""), Value::int32(INT32_MAX), string_value("漢")},
               "lpad would make a string of 6.0 GiB; the longest that there can be has 4.0 GiB");
}

TEST(Strings, BudgetRefusesWhatDoesNotFit) {
  MemoryBudget budget(64 << 20);
  EXPECT_THROW(string_evaluated("repeat", {string_value("ab"), n(100 << 20)}, &budget), MemoryError);
  EXPECT_THROW(
      string_evaluated("lpad", {string_value("ab"), Value::int32(100 << 20), string_value("x")}, &budget),
      MemoryError);
  EXPECT_EQ(string_evaluated("repeat", {string_value("ab"), n(1 << 20)}, &budget).text().size(), 2 << 20);
  EXPECT_EQ(budget.used(), 0);
}

TEST(Strings, ReplacesMoreThanItRemembers) {
  const std::string many(10'000, '-');
  EXPECT_EQ(text_of("replace", {string_value("x" + many + "y"), string_value("--"), string_value("+")}),
            "x" + std::string(5'000, '+') + "y");
  EXPECT_EQ(text_of("replace", {string_value("x" + many + "y"), string_value("-"), string_value("")}), "xy");
}

TEST(Strings, StopWhenAsked) {
  Arena arena;
  Cancellation cancellation;
  EvalContext context;
  context.arena = &arena;
  context.cancellation = &cancellation;
  const ExprPtr expr = call("repeat", {literal(string_value("ab")), literal(n(1 << 20))});
  EXPECT_EQ(value_at(evaluate(*expr, {}, ActiveSet(1, arena), context), 0).text().size(), 2 << 20);
  cancellation.cancel();
  EXPECT_THROW(evaluate(*expr, {}, ActiveSet(1, arena), context), CancelledError);
}

TEST(Strings, RaiseOnlyForActiveRows) {
  Chunk chunk;
  chunk.add(kIntType, {Value::int32(65), Value::int32(-1), Value(kIntType), Value::int32(66)}, Layout::kText);
  const ExprPtr expr = call("chr", {column(0, kIntType)});
  const uint64_t keep[] = {0b1101, 0};
  check(*expr, chunk, ActiveSet(4, chunk.arena()).narrowed(keep), lanes::Target::scalar);
  EvalContext context;
  context.arena = &chunk.arena();
  EXPECT_THROW(evaluate(*expr, chunk.columns(), ActiveSet(4, chunk.arena()), context), UserError);
}

TEST(Strings, MalformedTextDoesNoHarm) {
  std::mt19937 random(7);
  for (int trial = 0; trial < 300; ++trial) {
    std::string bytes(random() % 40, ' ');
    for (char& byte : bytes)
      byte = static_cast<char>(random() % 3 == 0 ? random() % 128 : 128 + random() % 128);
    const Value value = string_value(bytes);
    for (const char* name : {"length", "length_grapheme", "trim", "ascii", "reverse", "lower", "upper"}) {
      string_evaluated(name, {value});
    }
    EXPECT_EQ(text_of("concat", {value}), bytes);
    EXPECT_EQ(text_of("reverse", {value}).size(), bytes.size());
    for (const int64_t at : {-50, -3, -1, 0, 1, 2, 50}) {
      const std::string kept = text_of("left", {value, n(at)}) + text_of("right", {value, n(-at)});
      EXPECT_LE(kept.size(), 2 * bytes.size());
      text_of("substring", {value, n(at), n(3)});
      text_of("split_part", {value, string_value(""), n(at)});
      text_of("rpad", {value, Value::int32(static_cast<int32_t>(at)), string_value("x\xFF")});
    }
    text_of("translate", {value, string_value("\xC3\x80z"), string_value("\xFF")});
    text_of("trim", {value, value});
  }
}

TEST(Characters, CountAndSkipAgreeWithAList) {
  std::mt19937 random(3);
  for (int trial = 0; trial < 2000; ++trial) {
    const std::string random_varchar = random_text(random, 40).substr(0, 5000);
    const std::vector<std::string> characters = characters_of(random_varchar);
    if (!random_varchar.empty() && !starts_character(random_varchar[0])) continue;
    ASSERT_EQ(count_characters(random_varchar), characters.size());
    ASSERT_EQ(is_ascii(random_varchar), characters.size() == random_varchar.size());
    const size_t count = random() % (characters.size() + 3);
    ASSERT_EQ(random_varchar.substr(0, skip_characters(random_varchar, count)), join(characters, 0, count));
    const size_t back = skip_characters_back(random_varchar, count);
    if (count > characters.size()) {
      ASSERT_EQ(back, std::string::npos);
    } else {
      ASSERT_EQ(random_varchar.substr(back), join(characters, characters.size() - count, characters.size()));
    }
  }
}

TEST(Graphemes, AreThoseOfTheRules) {
  std::mt19937 random(5);
  for (int trial = 0; trial < 5000; ++trial) {
    const std::string random_varchar = random_text(random, 30).substr(0, 3000);
    std::vector<std::string> found;
    for (size_t at = 0; at < random_varchar.size();) {
      const size_t end = next_grapheme(random_varchar, at);
      found.push_back(random_varchar.substr(at, end - at));
      at = end;
    }
    if (!random_varchar.empty() && !starts_character(random_varchar[0])) continue;
    ASSERT_EQ(found, graphemes_of(random_varchar));
  }
}

TEST(Strings, TableIsComplete) {
  for (const Function& function : string_functions()) {
    EXPECT_FALSE(function.name.empty());
    EXPECT_NE(function.resolve, nullptr) << function.name;
    EXPECT_TRUE(function.evaluate != nullptr || function.select != nullptr) << function.name;
    EXPECT_NE(function.reference, nullptr) << function.name;
    EXPECT_FALSE(function.documentation.empty()) << function.name;
    EXPECT_EQ(function.documentation.find('\n'), std::string_view::npos) << function.name;
    EXPECT_FALSE(function.example.empty()) << function.name;
  }
}

}  // namespace
}  // namespace lanewise::expr::testing
