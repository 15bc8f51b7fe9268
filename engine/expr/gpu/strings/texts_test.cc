#include <gtest/gtest.h>

#include <iterator>
#include <random>

#include "base/testing/test_size.h"
#include "expr/function.h"
#include "expr/functions/build.h"
#include "expr/gpu/testing/compiled.h"

/// Functions that read and print strings, compiled for the host: strings at the limits of what is accepted,
/// and random mutations of them.
namespace lanewise::expr {
namespace {

using namespace compiled;

const char* const kNumbers[] = {"",
                                " ",
                                "0",
                                "-0",
                                "+7",
                                "-",
                                "+",
                                ".",
                                "1",
                                "127",
                                "128",
                                "-128",
                                "-129",
                                "255",
                                "256",
                                "32767.49",
                                "32767.5",
                                "2147483647",
                                "-2147483648",
                                "2147483648",
                                "9223372036854775807",
                                "-9223372036854775808",
                                "18446744073709551615",
                                "18446744073709551616",
                                "170141183460469231731687303715884105727",
                                "-170141183460469231731687303715884105728",
                                "340282366920938463463374607431768211455",
                                "340282366920938463463374607431768211455.5",
                                "  42\t\n",
                                "4 2",
                                "1_000",
                                "1__0",
                                "_1",
                                "1_",
                                "0.5",
                                "-0.5",
                                ".5",
                                "5.",
                                "1e2",
                                "1E-2",
                                "12.5e1",
                                "1e",
                                "1e+",
                                "1e5_0",
                                "1e400",
                                "-1e400",
                                "1e40000",
                                "1e-40000",
                                "0x1F",
                                "0X_1",
                                "0b101",
                                "0b2",
                                "0x",
                                "0xffffffffffffffff",
                                "-0x1",
                                "12345678901234567890.5",
                                "0.00000000000000000001",
                                "999.995",
                                "99999.99",
                                "9999999.995",
                                "1.7976931348623159e308",
                                "4.9e-324",
                                "2e-324",
                                "3.4028235677973366e38",
                                "9007199254740993",
                                "9007199254740993.00000000000000000000000000000000001",
                                "inf",
                                "-Inf",
                                "+infinity",
                                "nan",
                                "-NaN",
                                "nan(1)",
                                "nan(",
                                "infinit",
                                "true",
                                "TRUE",
                                "t",
                                "yes",
                                "n",
                                "False",
                                "truer",
                                "-0.0"};
const char* const kTimes[] = {"2024-02-29",
                              "2023-02-29",
                              "2024-2-9",
                              "1900-02-29",
                              "2000-02-29",
                              "0000-01-01",
                              "-0044-03-15",
                              "44-03-15 (BC)",
                              "44-03-15 (bc) 01:02:03",
                              "0-01-01 (BC)",
                              "2024/02/29",
                              "2024-02/29",
                              "2024 02 29",
                              "2024\\02\\29",
                              "infinity",
                              "-infinity",
                              "inf",
                              " Infinity ",
                              "epoch",
                              "epochs",
                              "5881580-07-10",
                              "5881580-07-11",
                              "-5877641-06-24",
                              "294247-01-10 04:00:54.775806",
                              "294247-01-10 04:00:54.775807",
                              "-290308-12-21 19:59:05.224192",
                              "100000000-01-01",
                              "2024-02-29 12:34:56",
                              "2024-02-29T12:34:56.789Z",
                              "2024-02-29 12:34:56.123456789",
                              "2024-02-29 24:00:00",
                              "2024-02-29 24:00:01",
                              "2024-02-29 12:34:56+02",
                              "2024-02-29 12:34:56-02:30",
                              "2024-02-29 12:34:56+0230",
                              "2024-02-29 12:34:56+02:30:15",
                              "2024-02-29 12:34:56 UTC",
                              "2024-02-29 12:34:56 Europe/Berlin",
                              "2024-02-29 12:",
                              "2024-02-29 12:3",
                              "2024-02-29 12",
                              "2024-02-29  12:34",
                              "2024-02-29 12:60",
                              "2024-02-29 12:34:60",
                              "12:34:56",
                              "24:00:00",
                              "24:00:01",
                              "0:0:0",
                              "123456789:00:00",
                              "1234567890:00:00",
                              "12:34:56.9999999",
                              "12:34:56.x",
                              "1:2",
                              "2262-04-11 23:47:16.854775806",
                              "2262-04-11 23:47:16.854775807",
                              "1677-09-21 00:12:43.145224193",
                              "12-34-56",
                              "2024-13-01",
                              "2024-00-01",
                              "2024-01-00",
                              "2024-01-32",
                              "2024-01-011",
                              "2024-02-29x",
                              "-",
                              "2024",
                              "2024-",
                              "a"};
const char* const kBytes[] = {"\\xAA", "\\xaa\\xBb", "\\x1", "\\xG0", "\\",  "a\\",
                              "naïve", "'\"",        "abc",  "C3A4",  "c3a", "0g"};

/// Strings, and mutations of each at a random position.
std::vector<Value> texts() {
  std::mt19937 random(3);
  using namespace std::string_view_literals;
  std::vector<std::string> made;
  for (const char* text : kNumbers) made.emplace_back(text);
  for (const char* text : kTimes) made.emplace_back(text);
  for (const char* text : kBytes) made.emplace_back(text);
  const size_t given = made.size();
  constexpr std::string_view kLetters = "0123456789990+-._eE:/ TZxabfinyt(\0\xC3"sv;
  for (int i = 0; i < test_size(600, 20000); ++i) {
    std::string text = made[random() % given];
    for (uint32_t n = random() % 3 + 1; n > 0; --n) {
      const size_t at = random() % (text.size() + 1);
      const char letter = kLetters[random() % kLetters.size()];
      if (random() % 3 == 0 && at < text.size()) {
        text.erase(at, 1);
      } else if (random() % 2 == 0 && at < text.size()) {
        text[at] = letter;
      } else {
        text.insert(at, 1, letter);
      }
    }
    made.push_back(text);
  }
  std::vector<Value> values;
  for (const std::string& text : made) values.push_back(Value::varchar(text));
  return values;
}

TEST(DeviceTexts, CastsToAllTypesAreTheReference) {
  const TestColumns columns(TypeId::kVarchar, texts());
  std::vector<Type> targets = random::all_types();
  for (const TimeUnit unit : {TimeUnit::kSecond, TimeUnit::kMilli, TimeUnit::kNano})
    targets.push_back(Type::timestamp(unit));
  targets.push_back(Type::decimal(4, 4));
  targets.push_back(Type::decimal(38, 0));
  targets.push_back(Type::decimal(38, 38));
  std::vector<ExprPtr> exprs;
  const ExprPtr text = column(0, TypeId::kVarchar);
  for (const Type& to : targets) {
    // Casts to the last two run on cores.
    if (to == TypeId::kVarchar || to == TypeId::kUuid || to == TypeId::kTimeNs) continue;
    exprs.push_back(cast(text, to));
    exprs.push_back(cast(text, to, true));
    if (to.is_float())
      exprs.push_back(cast(cast(text, to, true), TypeId::kVarchar));  // the signs of 0 and NaN
  }
  EXPECT_EQ(check(exprs, columns), exprs.size());
}

TEST(DeviceTexts, FunctionsAreTheReference) {
  const TestColumns columns(TypeId::kVarchar, texts());
  const ExprPtr text = column(0, TypeId::kVarchar), blob = call("encode", {text});
  std::vector<ExprPtr> exprs = {call("decode", {blob}), call("hex", {blob}), cast(blob, TypeId::kVarchar)};
  for (const char* name : {"hex", "unhex", "reverse", "length_grapheme"}) exprs.push_back(call(name, {text}));
  EXPECT_EQ(check(exprs, columns), exprs.size());
}

TEST(DeviceTexts, GraphemesAreTheReference) {
  std::vector<Value> values;
  std::mt19937 random(5);
  const char* const parts[] = {"a",      "\r\n",   "e\u0301", "👨‍👩‍👧",
                               "🇩🇪",     "🇫",      "각",      "ᄀ",
                               "ᅡ",      "ᆨ",      "क्ष",      "\u094d",
                               "\u200d", "\u0600", "\xff",    "ß"};
  for (int i = 0; i < test_size(500, 5000); ++i) {
    std::string text;
    for (uint32_t n = random() % 7; n > 0; --n) text += parts[random() % std::size(parts)];
    values.push_back(Value::varchar(text));
  }
  const TestColumns columns(TypeId::kVarchar, values);
  const ExprPtr text = column(0, TypeId::kVarchar);
  EXPECT_EQ(check({call("reverse", {text}), call("length_grapheme", {text})}, columns), 2);
}

TEST(DeviceTexts, MomentsArePrintedAsTheReferenceDoes) {
  std::mt19937_64 random(9);
  for (const Type type : {Type(TypeId::kDate), Type(TypeId::kTimestamp), Type::timestamp(TimeUnit::kNano)}) {
    const bool date = type == TypeId::kDate;
    std::vector<Value> values;
    for (const int64_t day : {0, -1, 1, 365, 11016, 19782, -719528, -719529, -800000, 2932896, 40000000})
      values.push_back({type, int128_t{day} * (date                           ? 1
                                               : type.unit == TimeUnit::kNano ? 1000
                                                                              : 86'400'000'000) +
                                  !date});
    for (int i = 0; i < test_size(200, 5000); ++i) {
      const auto bits = static_cast<int64_t>(random());
      values.push_back({type, int128_t{date ? bits % 10'000'000 : bits / 16}});
    }
    const int64_t infinity = date ? INT32_MAX : INT64_MAX;
    values.push_back({type, int128_t{infinity}});
    values.push_back({type, int128_t{-infinity}});
    const TestColumns columns(type, values);
    std::vector<ExprPtr> exprs;
    for (const char* format : {"%a %A %w %u %d %h %b %B %m %y %Y", "%G-W%V-%u %U %W %j",
                               "%H:%M:%S %I %p %n %f %g %z%Z %c|%x|%X|%T", "%%",
                               "%-d.%-m.%-y %-H %-I %-M %-S %-j", "%Z", "plain \"text\" \\ ä?"}) {
      const ExprPtr text = literal(Value::varchar(format));
      exprs.push_back(call("strftime", {column(0, type), text}));
      exprs.push_back(call("strftime", {text, column(0, type)}));
    }
    EXPECT_EQ(check(exprs, columns), exprs.size());
  }
}

}  // namespace
}  // namespace lanewise::expr
