#include <gtest/gtest.h>

#include <iterator>
#include <random>
#include <string>

#include "base/error.h"
#include "base/testing/test_size.h"
#include "expr/functions/build.h"
#include "expr/gpu/strings/ilike-inl.h"
#include "expr/gpu/testing/compiled.h"
#include "expr/patterns/pattern_cache.h"

/// Patterns that come from rows: the device's functions against the host's, including malformed strings.
namespace lanewise::expr {
namespace {

using namespace std::string_view_literals;
using compiled::TestColumns;

enum class Answer { kNo, kYes, kError };

Answer on_host(Syntax syntax, std::string_view text, std::string_view pattern,
               std::optional<std::string_view> escape = {}) {
  PatternCache cache;
  try {
    return cache.get(syntax, pattern, escape).matches(text) ? Answer::kYes : Answer::kNo;
  } catch (const UserError&) {
    return Answer::kError;
  }
}

kernel::Text device_text(std::string_view text) {
  return {reinterpret_cast<const uint8_t*>(text.data()), text.size()};
}

Answer on_device(Syntax syntax, std::string_view text, std::string_view pattern,
                 std::optional<std::string_view> escape = {}) {
  const kernel::Text of = device_text(text), wanted = device_text(pattern);
  const bool fold = syntax == Syntax::kILike;
  kernel::Outcome out;
  bool found;
  if (syntax == Syntax::kGlob) {
    found = kernel::glob(out, of, wanted);
  } else if (!escape) {
    found = fold ? kernel::like<kernel::InLowerCase>(out, of, wanted)
                 : kernel::like<kernel::AsWritten>(out, of, wanted);
  } else {
    found = fold ? kernel::like<kernel::InLowerCase>(out, of, wanted, device_text(*escape))
                 : kernel::like<kernel::AsWritten>(out, of, wanted, device_text(*escape));
  }
  return out.failed ? Answer::kError : found ? Answer::kYes : Answer::kNo;
}

std::string shown(std::string_view text) {
  std::string result;
  for (const char c : text)
    result += c >= ' ' && c <= '~' ? std::string(1, c) : "\\x" + std::to_string(c & 0xff);
  return "'" + result + "'";
}

void compare(Syntax syntax, std::string_view text, std::string_view pattern,
             std::optional<std::string_view> escape = {}) {
  EXPECT_EQ(on_device(syntax, text, pattern, escape), on_host(syntax, text, pattern, escape))
      << (syntax == Syntax::kILike  ? "ILIKE of "
          : syntax == Syntax::kLike ? "LIKE of "
                                    : "GLOB of ")
      << shown(text) << " and " << shown(pattern) << (escape ? " with the escape " + shown(*escape) : "");
}

template <size_t kCount>
std::string some(const std::string_view (&pieces)[kCount], size_t most, std::mt19937& random) {
  std::string text;
  for (size_t n = random() % (most + 1); n > 0; --n) text += pieces[random() % kCount];
  return text;
}

/// Letters of one, two and three bytes, some of which have another size in lower case (the last two are k and
/// i), and bytes that are not letters.
constexpr std::string_view kLetters[] = {
    "a", "A", "b", "k",    "i",    "ä",        "Ä",    "ꭰ",    "Ꭰ",    "😀",     "\0"sv,
    "$", "%", "_", "\xC3", "\xA4", "\xE2\x84", "\xAA", "\xED", "\xFF", "\u212A", "\u0130"};
constexpr std::string_view kPieces[] = {"%",     "%",    "%",    "_",    "a",         "A",           "b",
                                        "ä",     "Ä",    "k",    "Ꭰ",    "😀",        "$%",          "$_",
                                        "$$",    "$",    "%%",   "\0"sv, "\0a"sv,     "\xC3",        "\xA4",
                                        "$\xA4", "\x84", "\xE2", "\xAA", "\xC3$\x84", "\xC3\0\x84"sv};
constexpr std::string_view kEscapes[] = {"$", "$", "$",    "",     "%", "_", "a",
                                         "A", "k", "\xC3", "\xA4", "ä", "$$"};

TEST(DevicePatterns, LikeIsTheHosts) {
  std::mt19937 random(11);
  for (int trial = 0; trial < test_size(500, 2'000, 100'000) && !HasFailure(); ++trial) {
    const std::string text = some(kLetters, 8, random);
    std::string pattern = some(kPieces, 6, random);
    if (random() % 3 == 0) pattern = some(kLetters, 6, random);
    if (random() % 3 == 0) pattern = text.substr(0, random() % (text.size() + 1)) + pattern;
    for (const Syntax syntax : {Syntax::kLike, Syntax::kILike}) {
      compare(syntax, text, pattern);
      compare(syntax, text, pattern, kEscapes[random() % std::size(kEscapes)]);
    }
  }
}

TEST(DevicePatterns, EscapesMayBeAnyByte) {
  for (const Syntax syntax : {Syntax::kLike, Syntax::kILike}) {
    for (const std::string_view text : {"\xC3"sv, "\xC3%"sv, "ä"sv, "Ä%"sv, ""sv, "b"sv}) {
      for (const std::string_view pattern : {"ä%"sv, "Ä%"sv, "Ä"sv, "ä%%"sv, "\xC3"sv, "%%%"sv, ""sv}) {
        for (const std::string_view escape : {"\xA4"sv, "\xC3"sv, "%"sv, ""sv})
          compare(syntax, text, pattern, escape);
      }
    }
    compare(syntax, "äx", "\xC3$\x84$", "$");  // one letter, of escaped bytes
  }
}

TEST(DevicePatterns, GlobIsTheHosts) {
  constexpr std::string_view kTexts[] = {"a", "b", "c", "\xC3", "\x80", "]",   "[",
                                         "-", "!", "*", "?",    "\\",   "\0"sv};
  constexpr std::string_view kGlobs[] = {
      "*",      "*",           "*",           "?",     "a",    "b",  "[a-c]", "[!a]", "[]a]",
      "[!]-c]", "[\x80-\x7F]", "[\x01-\x80]", "[c-a]", "[a-]", "[",  "[!",    "[a",   "[a-",
      "]",      "\\",          "\\*",         "-",     "!",    "[]", "[!]",   "\0"sv};
  std::mt19937 random(13);
  for (int trial = 0; trial < test_size(500, 2'000, 100'000) && !HasFailure(); ++trial) {
    const std::string text = some(kTexts, 8, random);
    std::string pattern = some(kGlobs, 6, random);
    if (random() % 3 == 0) pattern = text.substr(0, random() % (text.size() + 1)) + pattern;
    compare(Syntax::kGlob, text, pattern);
  }
}

/// If each * or % were retried from every position, this would not end.
TEST(DevicePatterns, TimeIsAtMostTheProductOfBothSizes) {
  std::string glob, like;
  for (int i = 0; i < 60; ++i) glob += "*a", like += "%A";
  const std::string text(2000, 'a');
  EXPECT_EQ(on_device(Syntax::kGlob, text, glob + "*b"), Answer::kNo);
  EXPECT_EQ(on_device(Syntax::kGlob, text, glob), Answer::kYes);
  EXPECT_EQ(on_device(Syntax::kILike, text, like + "%b"), Answer::kNo);
  EXPECT_EQ(on_device(Syntax::kILike, text, like + "%"), Answer::kYes);
}

/// As expressions: names, NULLs, and the rows that fail.
TEST(DevicePatterns, CallsAreTheirReference) {
  std::mt19937 random(17);
  constexpr std::string_view kTexts[] = {"a", "B", "Ä", "\u212A", "%", "_", "\0"sv, "50"};
  constexpr std::string_view kPatterns[] = {"%", "_",    "b", "ä", "K",     "$%",
                                            "$", "\0"sv, "5", "*", "[a-c]", "[!a]"};
  constexpr std::string_view kGiven[] = {"$", "$", "", "%", "$$"};
  std::vector<Value> columns[3];
  for (uint32_t row = 0; row < 400; ++row) {
    const auto add = [&](size_t column, const std::string& text) {
      columns[column].push_back(random() % 9 == 0 ? Value(TypeId::kVarchar) : Value::varchar(text));
    };
    add(0, some(kTexts, 6, random));
    add(1, some(kPatterns, 4, random));
    add(2, std::string(kGiven[random() % std::size(kGiven)]));
  }
  TestColumns held(TypeId::kVarchar, columns[0]);
  for (size_t i = 1; i < 3; ++i) {
    columns[i].emplace_back(TypeId::kVarchar);
    held.add(TypeId::kVarchar, columns[i]);
  }
  const auto word = [](std::string_view text) { return literal(Value::varchar(std::string(text))); };
  const ExprPtr text = column(0, TypeId::kVarchar), pattern = column(1, TypeId::kVarchar),
                escape = column(2, TypeId::kVarchar);
  std::vector<ExprPtr> exprs;
  for (const char* name : {"~~", "!~~", "~~*", "!~~*", "~~~", "contains", "prefix", "suffix"})
    exprs.push_back(call(name, {text, pattern}));
  for (const char* name : {"like_escape", "not_like_escape", "ilike_escape", "not_ilike_escape"}) {
    exprs.push_back(call(name, {text, pattern, escape}));
    exprs.push_back(call(name, {text, pattern, word("$")}));
    exprs.push_back(call(name, {text, word("%5$"), escape}));
    exprs.push_back(call(name, {coalesce({text, pattern}), word("50%%"), word("%")}));
    exprs.push_back(call(name, {word("50%"), pattern, escape}));
    // Constant patterns that fail only for the rows that reach the mistake.
    for (const ExprPtr& of : {text, call("||", {text, pattern})}) {
      exprs.push_back(call(name, {of, word("%5$"), word("$")}));
      exprs.push_back(call(name, {of, word("b"), word("$$")}));
    }
  }
  EXPECT_EQ(check(exprs, held), exprs.size());
}

}  // namespace
}  // namespace lanewise::expr
