#include <gtest/gtest.h>

#include "base/error.h"
#include "expr/function_groups.h"
#include "expr/strings/characters.h"
#include "expr/strings/check_function.h"
#include "expr/strings/graphemes.h"
#include "expr/strings/reference.h"

namespace lanewise::expr::testing {
namespace {

const Type kText = TypeId::kVarchar;
const Type kBig = TypeId::kInt64;
const Type kInt = TypeId::kInt32;
const Type kBlob = TypeId::kBlob;

Value text(size_t, std::mt19937& random) { return Value::varchar(random_text(random)); }
Value blob(size_t, std::mt19937& random) { return {TypeId::kBlob, random_text(random)}; }
/// The first argument is a text, the others are short.
Value short_needles(size_t argument, std::mt19937& random) {
  return Value::varchar(random_text(random, argument == 0 ? 24 : 2));
}
/// Texts, then positions around their lengths.
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
    check_function(name, {kText}, text);
  }
  check_function("octet_length", {kBlob}, blob);
}

TEST(Strings, Case) {
  for (const char* name : {"lower", "lcase", "upper", "ucase"}) check_function(name, {kText}, text);
}

TEST(Strings, Trim) {
  for (const char* name : {"trim", "ltrim", "rtrim"}) {
    check_function(name, {kText}, text);
    check_function(name, {kText, kText}, short_needles);
  }
}

TEST(Strings, Substring) {
  check_function("substring", {kText, kBig}, positions);
  check_function("substr", {kText, kBig, kBig}, positions);
  check_function("array_extract", {kText, kBig}, positions);
  check_function("left", {kText, kBig}, positions);
  check_function("right", {kText, kBig}, any_positions);
  check_function("substring", {kText, kBig, kBig}, any_positions);
  check_function("left", {kText, kBig}, any_positions);
}

TEST(Strings, Concat) {
  check_function("||", {kText, kText}, text);
  check_function("||", {kBlob, kBlob}, blob);
  check_function("concat", {kText}, text);
  check_function("concat", {kText, kText, kText}, text);
  check_function("concat_ws", {kText, kText}, text);
  check_function("concat_ws", {kText, kText, kText, kText}, text);
}

TEST(Strings, SearchAndSplit) {
  check_function("strpos", {kText, kText}, short_needles);
  check_function("instr", {kText, kText}, short_needles);
  check_function("position", {kText, kText}, short_needles);
  check_function("split_part", {kText, kText, kBig}, separated);
  check_function("string_split_extract", {kText, kText, kBig}, separated);
}

TEST(Strings, Replace) {
  check_function("replace", {kText, kText, kText}, short_needles);
  check_function("translate", {kText, kText, kText}, [](size_t argument, std::mt19937& random) {
    return Value::varchar(random_text(random, argument == 0 ? 24 : 12));
  });
}

TEST(Strings, RepeatAndPad) {
  check_function("repeat", {kText, kBig}, repeats);
  check_function("lpad", {kText, kInt, kText}, padding);
  check_function("rpad", {kText, kInt, kText}, padding);
}

TEST(Strings, Reverse) { check_function("reverse", {kText}, text); }

TEST(Strings, CodePoints) {
  check_function("ascii", {kText}, text);
  check_function("unicode", {kText}, text);
  check_function("ord", {kText}, text);
  check_function("chr", {kInt}, [](size_t, std::mt19937& random) {
    return Value::int32(static_cast<int32_t>(random() % (random() % 2 == 0 ? 0xD800 : 0x300)));
  });
}

TEST(Strings, Encode) {
  check_function("encode", {kText}, text);
  check_function("decode", {kBlob}, blob);
  check_function("hex", {kText}, text);
  check_function("to_hex", {kBlob}, blob);
  check_function("unhex", {kText}, [](size_t, std::mt19937& random) {
    std::string digits(random() % 9, ' ');
    for (char& digit : digits) digit = "0123456789abcdefABCDEF"[random() % 22];
    return Value::varchar(digits);
  });
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

std::string text_of(std::string_view name, std::vector<Value> args) {
  return evaluated(name, std::move(args)).text();
}

const auto v = [](std::string text) { return Value::varchar(std::move(text)); };
const auto n = [](int64_t number) { return Value::int64(number); };

TEST(Strings, AnswersAsDuckDb) {
  EXPECT_EQ(text_of("substring", {v("abc"), n(0), n(2)}), "a");
  EXPECT_EQ(text_of("substring", {v("abc"), n(-5), n(3)}), "a");
  EXPECT_EQ(text_of("substring", {v("abc"), n(5), n(-3)}), "bc");
  EXPECT_EQ(text_of("substring", {v("häuser"), n(-3)}), "ser");
  EXPECT_EQ(text_of("left", {v("abc"), n(-1)}), "ab");
  EXPECT_EQ(text_of("right", {v("abc"), n(INT64_MIN)}), "");
  EXPECT_EQ(text_of("split_part", {v("a-b-c"), v("-"), n(-1)}), "c");
  EXPECT_EQ(text_of("split_part", {v("a-b-c"), v("-"), n(0)}), "");
  EXPECT_EQ(text_of("split_part", {v("abc"), v(""), n(2)}), "b");
  EXPECT_TRUE(evaluated("string_split_extract", {v("a-b"), v("-"), n(3)}).is_null());
  EXPECT_EQ(text_of("reverse", {v("noe\u0308l")}), "le\u0308on");
  EXPECT_EQ(text_of("reverse", {v("a\r\n")}), "\n\ra");
  EXPECT_EQ(text_of("reverse", {v("ä\r\n")}), "\r\nä");
  EXPECT_EQ(text_of("upper", {v("straße")}), "STRAẞE");
  EXPECT_EQ(text_of("lower", {v("İ")}), "i");
  EXPECT_EQ(text_of("translate", {v("abcabc"), v("ab"), v("x")}), "xcxc");
  EXPECT_EQ(text_of("lpad", {v("äbc"), Value::int32(6), v("öx")}), "öxöäbc");
  EXPECT_EQ(evaluated("unicode", {v("")}), Value::int32(-1));
  EXPECT_EQ(evaluated("ascii", {v("")}), Value::int32(0));
  EXPECT_EQ(evaluated("strpos", {v("äöü"), v("ü")}), n(3));
  EXPECT_EQ(evaluated("strpos", {v(""), v("")}), n(1));
  EXPECT_EQ(evaluated("length_grapheme", {v("👨‍👩‍👧")}), n(1));
  EXPECT_EQ(evaluated("length_grapheme", {v("\r\n")}), n(2));
  EXPECT_EQ(text_of("concat_ws", {v(","), Value(kText), v("a"), Value(kText), v("b")}), "a,b");
  EXPECT_TRUE(evaluated("||", {v("a"), Value(kText)}).is_null());
  EXPECT_EQ(text_of("concat", {v("a"), Value(), v("b")}), "ab");
  EXPECT_TRUE(evaluated("lower", {Value()}).is_null());
}

void expect_error(std::string_view name, std::vector<Value> args, std::string_view message) {
  try {
    evaluated(name, std::move(args));
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
  expect_error("lpad", {v("abc"), Value::int32(5), v("")}, "lpad: there is nothing to pad with");
  expect_error("substring", {v("abc"), n(5'000'000'000)},
               "substring: the start 5000000000 is not in -4294967296 .. 4294967295");
  expect_error("unhex", {v("0g")}, "unhex: 'g' is not a hexadecimal digit");
  expect_error("decode", {Value(kBlob, std::string("a\xC3"))},
               "decode: byte 2 of the blob, 0xC3, does not belong to UTF-8 text");
  expect_error("repeat", {v("ab"), n(INT64_MAX)},
               "repeat would make a string of 16 EiB; the longest that there can be has 4.0 GiB");
  expect_error("repeat", {v("ab"), n(int64_t{3} << 30)},
               "repeat would make a string of 6 GiB; the longest that there can be has 4.0 GiB");
  expect_error("replace", {v(std::string(100'000, 'a')), v("a"), v(std::string(100'000, 'b'))},
               "replace would make a string of 9.3 GiB; the longest that there can be has 4.0 GiB");
  expect_error("lpad", {v(""), Value::int32(INT32_MAX), v("漢")},
               "lpad would make a string of 6.0 GiB; the longest that there can be has 4.0 GiB");
}

TEST(Strings, BudgetRefusesWhatDoesNotFit) {
  MemoryBudget budget(64 << 20);
  EXPECT_THROW(evaluated("repeat", {v("ab"), n(100 << 20)}, &budget), MemoryError);
  EXPECT_THROW(evaluated("lpad", {v("ab"), Value::int32(100 << 20), v("x")}, &budget), MemoryError);
  EXPECT_EQ(evaluated("repeat", {v("ab"), n(1 << 20)}, &budget).text().size(), 2 << 20);
  EXPECT_EQ(budget.used(), 0);
}

TEST(Strings, ReplacesMoreThanItRemembers) {
  const std::string many(10'000, '-');
  EXPECT_EQ(text_of("replace", {v("x" + many + "y"), v("--"), v("+")}), "x" + std::string(5'000, '+') + "y");
  EXPECT_EQ(text_of("replace", {v("x" + many + "y"), v("-"), v("")}), "xy");
}

TEST(Strings, StopWhenAsked) {
  Arena arena;
  Cancellation cancellation;
  EvalContext context;
  context.arena = &arena;
  context.cancellation = &cancellation;
  const ExprPtr expr = call("repeat", {literal(v("ab")), literal(n(1 << 20))});
  EXPECT_EQ(value_at(evaluate(*expr, {}, ActiveSet(1, arena), context), 0).text().size(), 2 << 20);
  cancellation.cancel();
  EXPECT_THROW(evaluate(*expr, {}, ActiveSet(1, arena), context), CancelledError);
}

TEST(Strings, RaiseOnlyForActiveRows) {
  Chunk chunk;
  chunk.add(kInt, {Value::int32(65), Value::int32(-1), Value(kInt), Value::int32(66)}, Layout::kText);
  const ExprPtr expr = call("chr", {column(0, kInt)});
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
    const Value value = v(bytes);
    for (const char* name : {"length", "length_grapheme", "trim", "ascii", "reverse", "lower", "upper"}) {
      evaluated(name, {value});
    }
    EXPECT_EQ(text_of("concat", {value}), bytes);
    EXPECT_EQ(text_of("reverse", {value}).size(), bytes.size());
    for (const int64_t at : {-50, -3, -1, 0, 1, 2, 50}) {
      const std::string kept = text_of("left", {value, n(at)}) + text_of("right", {value, n(-at)});
      EXPECT_LE(kept.size(), 2 * bytes.size());
      text_of("substring", {value, n(at), n(3)});
      text_of("split_part", {value, v(""), n(at)});
      text_of("rpad", {value, Value::int32(static_cast<int32_t>(at)), v("x\xFF")});
    }
    text_of("translate", {value, v("\xC3\x80z"), v("\xFF")});
    text_of("trim", {value, value});
  }
}

TEST(Characters, CountAndSkipAgreeWithAList) {
  std::mt19937 random(3);
  for (int trial = 0; trial < 2000; ++trial) {
    const std::string text = random_text(random, 40).substr(0, 5000);
    const std::vector<std::string> characters = characters_of(text);
    if (!text.empty() && !starts_character(text[0])) continue;
    ASSERT_EQ(count_characters(text), characters.size());
    ASSERT_EQ(is_ascii(text), characters.size() == text.size());
    const size_t count = random() % (characters.size() + 3);
    ASSERT_EQ(text.substr(0, skip_characters(text, count)), join(characters, 0, count));
    const size_t back = skip_characters_back(text, count);
    if (count > characters.size()) {
      ASSERT_EQ(back, std::string::npos);
    } else {
      ASSERT_EQ(text.substr(back), join(characters, characters.size() - count, characters.size()));
    }
  }
}

TEST(Graphemes, AreThoseOfTheRules) {
  std::mt19937 random(5);
  for (int trial = 0; trial < 5000; ++trial) {
    const std::string text = random_text(random, 30).substr(0, 3000);
    std::vector<std::string> found;
    for (size_t at = 0; at < text.size();) {
      const size_t end = next_grapheme(text, at);
      found.push_back(text.substr(at, end - at));
      at = end;
    }
    if (!text.empty() && !starts_character(text[0])) continue;
    ASSERT_EQ(found, graphemes_of(text));
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
