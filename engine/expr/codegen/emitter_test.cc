#include "expr/codegen/emitter.h"
#include "expr/functions/build.h"
#include "expr/nested/functions.h"
#include "expr/patterns/functions.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <fstream>
#include <iterator>
#include <set>

#include "base/testing/test_size.h"
#include "expr/dates/parts.h"
#include "expr/function.h"
#include "expr/functions/functions.h"
#include "expr/gpu/testing/compiled.h"
#include "expr/testing/random_expressions.h"
#include "text/pattern/pattern.h"

/// The code emitted for devices, compiled for the host, against the reference evaluator.
namespace lanewise::expr {
namespace {

using namespace compiled;

std::vector<Type> all_types() {
  std::vector<Type> types = random::all_types();
  types.push_back(Type::decimal(15, 2));
  types.push_back(Type::decimal(38, 0));
  return types;
}

/// Is it offered for any arguments?
bool is_offered(const Function& function) {
  using Form = Function::Form;
  return function.device != nullptr || (function.form != Form::kCall && function.form != Form::kStruct);
}

/// The digits of a decimal determine its type.
bool needs_constant(const Function& function, const std::vector<Type>& types) {
  return function.refine != nullptr && types.back() == TypeId::kInt32;
}

TEST(Emitter, EachFunctionIsItsReference) {
  const TestColumns columns(all_types());
  const std::vector<Type>& types = columns.types;
  std::vector<ExprPtr> exprs;
  std::multiset<std::string_view> others;  // entries that have no call here
  const auto add = [&](const Function& function, const std::vector<size_t>& args) {
    std::vector<Type> taken;
    std::vector<ExprPtr> given;
    for (size_t arg : args) {
      taken.push_back(types[arg]);
      given.push_back(column(arg, types[arg]));
    }
    const bool is_taken = function.resolve(taken) && find_function(function.name, taken) == &function;
    if (is_taken && !needs_constant(function, taken)) exprs.push_back(call(function.name, given));
  };
  for (const Function& function : functions()) {
    if (function.device == nullptr) continue;
    others.insert(function.name);
    if (function.name == "strftime" || function.name == "repeat")
      continue;  // a constant format; too many bytes
    const size_t before = exprs.size();
    add(function, {});
    for (size_t a = 0; a < types.size(); ++a) {
      add(function, {a});
      for (size_t b = 0; b < types.size(); ++b) add(function, {a, b});
      add(function, {a, a, a});
    }
    if (exprs.size() > before) others.erase(others.find(function.name));
  }
  EXPECT_GT(check(exprs, columns), 300);
  // An entry names its halves for hosts and devices apart. So each needs a test that compares them: these
  // have other tests.
  EXPECT_EQ(fmt::to_string(fmt::join(others, " ")),
            "array_extract date_diff date_diff date_diff date_diff date_sub date_sub date_sub date_sub lpad "
            "make_time make_timestamp regexp_extract regexp_extract regexp_replace repeat repeat round rpad "
            "split_part strftime strftime string_split_extract substr substring trunc");
}

/// Calls with some constant arguments, where a function takes them.
struct Calls {
  std::vector<ExprPtr> exprs;

  void add(const char* name, const std::vector<ExprPtr>& args) {
    std::vector<Type> taken;
    for (const ExprPtr& arg : args) taken.push_back(arg->type);
    if (find_function(name, taken) != nullptr) exprs.push_back(call(name, args));
  }
};

ExprPtr i64(int64_t value) { return literal(Value::int64(value)); }
ExprPtr varchar_of(const char* text) { return literal(Value::varchar(text)); }

void add_date_parts(Calls& calls, const ExprPtr& x) {
  const auto part_word = [](DatePart part) { return literal(Value::varchar(std::string(word_of(part)))); };
  for (int part = 0; part <= static_cast<int>(DatePart::kTimezoneMinute); ++part) {
    if (part == static_cast<int>(DatePart::kNanosecond)) continue;  // no word
    for (const char* name : {"date_part", "date_trunc"})
      calls.add(name, {part_word(static_cast<DatePart>(part)), x});
    for (const char* name : {"date_diff", "date_sub"})
      calls.add(name, {part_word(static_cast<DatePart>(part)), x, x});
  }
  for (const char* format :
       {"%a %A %b %B %d %-d %m %-m %y %Y", "%G %V %U %W %u %w %j", "%c %x %X %H %I %p %M %S %f %g %n"})
    calls.add("strftime", {x, varchar_of(format)});
}

void add_digits(Calls& calls, const ExprPtr& x) {
  for (const int digits : {-40, -20, -2, -1, 0, 1, 2, 7, 400}) {
    for (const char* name : {"round", "trunc"}) calls.add(name, {x, literal(Value::int32(digits))});
  }
}

void add_made_dates(Calls& calls, const ExprPtr& x) {
  calls.add("make_date", {x, i64(2), i64(29)});
  calls.add("make_date", {i64(1900), i64(2), x});
  for (const double second : {0.0, 59.9999999, 60.0, -1.0, 12.345678}) {
    const ExprPtr seconds = literal(Value::float64(second));
    calls.add("make_time", {x, i64(59), seconds});
    calls.add("make_timestamp", {x, i64(12), i64(31), i64(23), i64(59), seconds});
  }
}

void add_positions(Calls& calls, const ExprPtr& s) {
  for (const int64_t n : {-3, -1, 0, 1, 2, 5}) {
    calls.add("repeat", {s, i64(n)});
    for (const char* name : {"left", "right", "array_extract"}) calls.add(name, {s, i64(n)});
    for (const int64_t m : {-2, 0, 1, 7}) calls.add("substring", {s, i64(n), i64(m)});
    for (const char* pad : {"", "·", "xyz"}) {
      calls.add("lpad", {s, i64(n * 3), varchar_of(pad)});
      calls.add("rpad", {varchar_of(pad), i64(n * 3), s});
    }
    for (const char* separator : {"", "a", "ab"}) {
      calls.add("split_part", {s, varchar_of(separator), i64(n)});
      calls.add("string_split_extract", {s, varchar_of(separator), i64(n)});
    }
  }
}

void add_words(Calls& calls, const ExprPtr& s) {
  for (const char* from : {"", "a", "ß", "ab"}) {
    for (const char* to : {"", "xyz"}) calls.add("replace", {s, varchar_of(from), varchar_of(to)});
  }
  for (const char* set : {"", "ab", "ßä "}) {
    for (const char* name : {"trim", "ltrim", "rtrim"}) calls.add(name, {s, varchar_of(set)});
  }
  for (const char* name : {"upper", "lower"}) {
    calls.add(name, {varchar_of("Straße ÄÖÜ ǅ ﬁ Ω ꭰ")});
    calls.add(name, {call("||", {s, varchar_of(" Ÿ")})});
  }
  for (const char* from : {"", "aba", "ßä -5", "0123456789"}) {
    for (const char* to : {"", "xy", "ö€😀"}) calls.add("translate", {s, varchar_of(from), varchar_of(to)});
    calls.add("translate", {varchar_of("das ist ä"), s, varchar_of(from)});
  }
  calls.add("concat_ws", {varchar_of(", "), s, literal(Value(TypeId::kVarchar)), call("upper", {s}), s});
  calls.add("concat_ws", {s, varchar_of("a"), s, varchar_of("b")});
  calls.add("concat", {s, varchar_of("-"), literal(Value(TypeId::kVarchar)), call("upper", {s})});
}

TEST(Emitter, FunctionsOfConstantsAreTheirReference) {
  const TestColumns columns(all_types());
  Calls calls;
  for (size_t i = 0; i < columns.types.size(); ++i) {
    const Type type = columns.types[i];
    const ExprPtr x = column(i, type);
    add_date_parts(calls, x);
    add_digits(calls, x);
    for (const char* name : {"greatest", "least"}) {
      calls.add(name, {x});
      calls.add(name, {x, literal(columns.held[i]->value(2)), x});
    }
    if (type == TypeId::kInt64) add_made_dates(calls, x);
    if (type == TypeId::kVarchar) {
      add_positions(calls, x);
      add_words(calls, x);
    }
  }
  for (const int64_t code : {-1, 0, 65, 223, 8364, 0xd800, 0x10ffff, 0x110000})
    calls.add("chr", {literal(Value::int32(static_cast<int32_t>(code)))});
  EXPECT_GT(check(calls.exprs, columns), 400);
}

TEST(Emitter, PatternsOverComputedTextAreTheirReference) {
  const TestColumns columns({TypeId::kVarchar, TypeId::kVarchar});
  const ExprPtr s = column(0, TypeId::kVarchar);
  std::vector<ExprPtr> exprs;
  for (const ExprPtr& made : {call("lower", {s}), call("||", {s, column(1, TypeId::kVarchar)}),
                              call("trim", {s, varchar_of("a")}), coalesce({s, varchar_of("ab")})}) {
    for (const char* pattern : {"", "%", "a", "a%", "%b", "%a%", "_", "%ß_", "a%b%"}) {
      for (const char* name : {"~~", "!~~", "~~*", "!~~*", "~~~"})
        exprs.push_back(call(name, {made, varchar_of(pattern)}));
    }
    for (const char* text : {"", "a", "ß", "ab"}) {
      for (const char* name : {"contains", "prefix", "suffix"})
        exprs.push_back(call(name, {made, varchar_of(text)}));
    }
    for (const char* pattern : {"^[ab]*$", "a|b", "[^a]", "^$", "(ab){2,}"}) {
      for (const char* name : {"regexp_matches", "regexp_full_match"})
        exprs.push_back(call(name, {made, varchar_of(pattern)}));
    }
  }
  EXPECT_EQ(check(exprs, columns), exprs.size());
}

TEST(Emitter, GroupsOfPatternsAreTheirReference) {
  using namespace std::string_literals;
  std::vector<Value> texts;
  for (const std::string& text :
       {""s, "a"s, "ab"s, "\n"s, "ab\nba\n\na"s, std::string(100, 'a'), "abbbbbbb"s, "ßaß-ß"s,
        "\xC3\xFF b\xE2\x82"s, "a\0b\0"s, "b-b--b"s, "x_1.5, 22.75 (3)"s, "éa€b😀"s})
    for (const std::string& again : {text, text + text}) texts.push_back(Value::varchar(again));
  const TestColumns columns(TypeId::kVarchar, texts);
  std::vector<ExprPtr> exprs;
  const ExprPtr s = column(0, TypeId::kVarchar);
  for (const char* pattern : {"", "a", "b*", "(a)|(b)", "^.", ".$", "(.)(.*)", "(.*)(b|-)", "[^a]+?", "\\b",
                              "(?m)^(a*)", "([0-9]+)[.]?([0-9]*)", "(ß)?", "((a)|b)*", "a*?(b|$)"}) {
    exprs.push_back(call("regexp_extract", {s, varchar_of(pattern)}));
    exprs.push_back(call("regexp_extract", {s, varchar_of(pattern), literal(Value(TypeId::kInt32))}));
    for (int group = 0; group <= text::compile_regex(pattern).groups() + 1; ++group)
      exprs.push_back(call("regexp_extract", {s, varchar_of(pattern), literal(Value::int32(group))}));
    for (const char* rewrite : {"", "x", "<\\0>", "\\1\\0\\1", "\\\\ß", "\\9", "a\\"}) {
      exprs.push_back(call("regexp_replace", {s, varchar_of(pattern), varchar_of(rewrite)}));
      exprs.push_back(call("regexp_replace", {s, varchar_of(pattern), varchar_of(rewrite), varchar_of("g")}));
    }
  }
  EXPECT_EQ(check(exprs, columns), exprs.size());
}

TEST(Emitter, SearchesThatTakeLongAreNotOffered) {
  Emitter out([](const Expr&) { return Emitted{"x"}; }, 0);
  const ExprPtr s = column(0, TypeId::kVarchar);
  out.emit(*call("regexp_replace", {s, varchar_of("a*b|a"), varchar_of("")}));
  EXPECT_THROW(out.emit(*call("regexp_replace", {s, varchar_of("a*b|a"), varchar_of(""), varchar_of("g")})),
               NotOnDevice);
  EXPECT_THROW(out.emit(*call("regexp_extract", {s, varchar_of("[ab]*a[ab]{11}c")})), NotOnDevice);
  EXPECT_THROW(out.emit(*call("regexp_extract", {s, s})), NotOnDevice);
  EXPECT_THROW(out.emit(*call("regexp_replace", {s, varchar_of("a"), s})), NotOnDevice);
}

TEST(Emitter, LargeAutomataOverComputedTextAreNotOffered) {
  Emitter out([](const Expr&) { return Emitted{"x"}; }, 0);
  const ExprPtr made = call("lower", {column(0, TypeId::kVarchar)});
  EXPECT_THROW(out.emit(*call("regexp_matches", {made, literal(Value::varchar("[ab]*a[ab]{11}c"))})),
               NotOnDevice);
}

TEST(Emitter, EachCastIsItsReference) {
  const TestColumns columns(all_types());
  std::vector<ExprPtr> exprs;
  for (size_t from = 0; from < columns.types.size(); ++from) {
    for (const Type& to : columns.types) {
      for (const bool try_cast : {false, true}) {
        if (can_cast(columns.types[from], to) && columns.types[from] != to)
          exprs.push_back(cast(column(from, columns.types[from]), to, try_cast));
      }
    }
  }
  EXPECT_GT(check(exprs, columns), 400);
}

TEST(Emitter, RandomTreesAreTheirReference) {
  random::Generator generator;
  generator.random.seed(5);
  for (const Type& type : random::all_types()) {
    if (type != TypeId::kInterval) generator.columns.push_back(type);
  }
  const TestColumns columns(generator.columns);
  std::vector<ExprPtr> exprs;
  for (int trial = 0; trial < test_size(100, 400); ++trial) {
    const Type type = generator.pick(2) == 0 ? Type(TypeId::kBool) : generator.any_type();
    exprs.push_back(generator.any(type, 3));
  }
  EXPECT_GT(check(exprs, columns), exprs.size() / 3);
}

/// The names in the paragraph of docs/use/gpu.md that follows `head`.
std::string listed(const std::string& head) {
  std::ifstream file(LANEWISE_SOURCE_DIR "/docs/use/gpu.md");
  const std::string text(std::istreambuf_iterator<char>(file), {});
  const size_t begin = text.find('`', text.find(head)) + 1;
  std::string names = text.substr(begin, text.find('`', begin) - begin);
  std::replace(names.begin(), names.end(), '\n', ' ');
  return names;
}

TEST(Emitter, DocumentationNamesWhatIsOffered) {
  std::set<std::string_view> offered, refused;
  for (const Function& function : functions()) {
    if (std::isalpha(function.name[0]) == 0 || std::isupper(function.name[0]) != 0) continue;  // operators
    const auto is_among = [&](std::span<const Function> some) {
      return std::ranges::any_of(some, [&](const Function& one) { return one.name == function.name; });
    };
    if (is_among(pattern_functions()) || (is_among(nested_functions()) && !is_offered(function))) continue;
    (is_offered(function) ? offered : refused).insert(function.name);
  }
  for (const std::string_view name : offered) refused.erase(name);
  EXPECT_EQ(listed("Functions:"), fmt::to_string(fmt::join(offered, " ")));
  EXPECT_EQ(listed("On cores only:"), fmt::to_string(fmt::join(refused, " ")));
}

TEST(Emitter, NamesWhatIsNotOffered) {
  Emitter out([](const Expr&) { return Emitted{"x"}; }, 0);
  try {
    const ExprPtr text = column(0, TypeId::kVarchar);
    out.emit(*call("regexp_matches", {text, text}));
    FAIL();
  } catch (const NotOnDevice& error) {
    EXPECT_EQ(std::string(error.what()), "regexp_matches(#0, #0) is not supported on GPUs");
  }
}

TEST(Emitter, ReadsWell) {
  Emitter out(
      [](const Expr& leaf) {
        return Emitted{"c" + std::to_string(leaf.column), "n" + std::to_string(leaf.column)};
      },
      0);
  const ExprPtr sum = call("+", {column(0, TypeId::kInt32), literal(Value::int32(1))});
  const Emitted result = out.emit(*call(">", {sum, column(1, TypeId::kInt32)}));
  EXPECT_EQ(out.take(),
            "Outcome out1;\n"
            "i32 v0{};\n"
            "if (n0) v0 = plus(out1, c0, i32(1));\n"
            "failed |= out1.failed;\n"
            "Outcome out3;\n"
            "bool v2{};\n"
            "if (n0 && n1) v2 = greater(out3, v0, c1);\n"
            "const bool ok4 = n0 && n1;\n");
  EXPECT_EQ(Emitter::is_true(result), "ok4 && v2");
}

}  // namespace
}  // namespace lanewise::expr
