#include "expr/device/emitter.h"

#include <dlfcn.h>
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <optional>
#include <set>

#include "base/testing/temporary_folder.h"
#include "base/testing/test_size.h"
#include "data/physical_value.h"
#include "expr/dates/parts.h"
#include "expr/device/values-inl.h"
#include "expr/evaluate.h"
#include "expr/function.h"
#include "expr/function_groups.h"
#include "expr/testing/random_expressions.h"

/// What is written for devices, compiled for the host, against the reference evaluator.
namespace lanewise::expr {
namespace {

constexpr uint32_t kRows = 60;

/// Columns as the sources of the tests read them: plain values, of strings kernel::Text.
struct Columns {
  std::vector<Type> types;
  std::vector<ColumnPtr> held;
  std::vector<std::vector<kernel::Text>> texts;
  std::vector<const void*> values;
  std::vector<const uint32_t*> validity;

  explicit Columns(std::vector<Type> wanted) : types(std::move(wanted)), texts(types.size()) {
    std::mt19937 random(7);
    for (size_t i = 0; i < types.size(); ++i) {
      std::vector<Value> made;  // extreme ones, and such that fit together
      for (uint32_t row = 0; row < kRows; ++row) {
        const auto number = static_cast<uint32_t>(random());
        if (row == 0 || number % 8 == 0) {  // at least one NULL, so that there is a bitmap
          made.emplace_back(types[i]);
        } else if (row % 2 == 0) {
          made.push_back(random::value(types[i], number / 8 % 200));
        } else {
          made.push_back(random::Generator::value(types[i], number / 8 % 30));
        }
      }
      held.push_back(make_column(types[i], made));
      validity.push_back(held[i]->validity.as<uint32_t>());
      for (int64_t row = 0; types[i].is_string() && row < kRows; ++row) {
        const std::string_view text = held[i]->text(row);
        texts[i].push_back({reinterpret_cast<const uint8_t*>(text.data()), text.size()});
      }
      values.push_back(types[i].is_string() ? static_cast<const void*>(texts[i].data())
                                            : held[i]->values.data());
    }
  }
  std::vector<Value> row(uint32_t row) const {
    std::vector<Value> values_of_row;
    for (const ColumnPtr& column : held) values_of_row.push_back(column->value(row));
    return values_of_row;
  }
};

/// The answer of a compiled expression for a row.
struct Answer {
  alignas(16) uint8_t value[16];
  bool valid;
  bool failed;
};
using Compiled = void (*)(const void* const* values, const uint32_t* const* validity, uint64_t row,
                          Answer* answer);

/// Expressions as functions of a library. Those that are not offered on devices have none.
class Library {
 public:
  Library(const std::vector<ExprPtr>& exprs, const std::vector<Type>& types) {
    std::ofstream out(folder_.path() / "exprs.cc");
    for (const char* header : {"arithmetic", "casts", "compare", "math", "intervals", "texts", "to_text"})
      out << "#include \"expr/device/" << header << "-inl.h\"\n";
    out << "using namespace lanewise::kernel;\n"
           "struct Answer { alignas(16) u8 value[16]; bool valid, failed; };\n";
    for (size_t i = 0; i < exprs.size(); ++i) {
      if (const std::optional<std::string> text = write(*exprs[i], types, i)) {
        out << *text;
        written_.insert(i);
      }
    }
    out.close();
    const std::string library = folder_.path() / "exprs.so";
    // The kernels' compiler wraps around, too, and rounds products before it adds them.
    const std::string command =
        fmt::format("{} -std=c++20 -w -O1 -fwrapv -ffp-contract=off -shared -fPIC -I{}/engine {} -o {} 2>&1",
                    LANEWISE_CXX, LANEWISE_SOURCE_DIR, (folder_.path() / "exprs.cc").string(), library);
    EXPECT_EQ(std::system(command.c_str()), 0) << command;
    handle_ = dlopen(library.c_str(), RTLD_NOW);
    EXPECT_NE(handle_, nullptr) << dlerror();
  }
  ~Library() {
    if (handle_ != nullptr) dlclose(handle_);
  }
  Library(const Library&) = delete;
  Library& operator=(const Library&) = delete;

  size_t size() const { return written_.size(); }
  Compiled find(size_t i) const {
    if (handle_ == nullptr || !written_.contains(i)) return nullptr;
    return reinterpret_cast<Compiled>(dlsym(handle_, fmt::format("run_{}", i).c_str()));
  }

 private:
  static std::optional<std::string> write(const Expr& expr, const std::vector<Type>& types, size_t i) {
    try {
      Emitter out(
          [&](const Expr& leaf) -> Emitted {
            if (leaf.kind != Expr::Kind::kColumn) throw NotOnDevice("no automata here");
            const std::string type = device_type(types.at(leaf.column));
            return {fmt::format("static_cast<const {}*>(values[{}])[row]", type, leaf.column),
                    fmt::format("bit(validity[{}], row)", leaf.column)};
          },
          0);
      out.open(fmt::format(
          "extern \"C\" void run_{}(const void* const* values, const u32* const* validity, u64 row, "
          "Answer* answer) {{",
          i));
      out.line("bool failed = false;");
      out.line_if_texts("alignas(8) static u8 block[1 << 20];");
      out.line_if_texts("*reinterpret_cast<u64*>(block) = 0;");
      out.line_if_texts("Heap heap(block, sizeof(block) - kHeapHead);");
      const Emitted result = out.emit(expr);
      out.line(
          fmt::format("*reinterpret_cast<{}*>(answer->value) = {};", device_type(expr.type), result.value));
      out.line(fmt::format("answer->valid = {};", result.is_valid()));
      out.line("answer->failed = failed;");
      out.close();
      return out.take();
    } catch (const NotOnDevice&) {
      return std::nullopt;
    }
  }

  TemporaryFolder folder_;
  std::set<size_t> written_;
  void* handle_ = nullptr;
};

/// Of a type with a fixed width.
template <class T>
Value fixed_value(Type type, const Answer& answer) {
  T value;
  std::memcpy(&value, answer.value, sizeof(value));
  return to_value(type, value);
}

Value value_of(Type type, const Answer& answer) {
  if (!answer.valid) return Value(type);
  if (type.is_string()) {
    kernel::Text text{};
    std::memcpy(&text, answer.value, sizeof(text));
    return {type, std::string(reinterpret_cast<const char*>(text.at), text.size)};
  }
  return visit(type.physical(), [&](auto zero) {
    using T = decltype(zero);
    if constexpr (std::is_same_v<T, std::string_view>)
      return Value();
    else
      return fixed_value<T>(type, answer);
  });
}

/// Checks all expressions for all rows; returns how many were offered.
size_t check(const std::vector<ExprPtr>& exprs, const Columns& columns) {
  const Library library(exprs, columns.types);
  for (size_t i = 0; i < exprs.size(); ++i) {
    const Compiled run = library.find(i);
    if (run == nullptr) continue;
    for (uint32_t row = 0; row < kRows && !testing::Test::HasFailure(); ++row) {
      Value expected;
      bool raises = false;
      try {
        expected = evaluate_reference(*exprs[i], columns.row(row));
      } catch (const UserError&) {
        raises = true;
      }
      Answer answer{};
      run(columns.values.data(), columns.validity.data(), row, &answer);
      EXPECT_EQ(answer.failed, raises) << exprs[i]->to_string() << " in row " << row;
      if (answer.failed || raises) continue;
      const Value got = value_of(exprs[i]->type, answer);
      EXPECT_TRUE(got == expected) << exprs[i]->to_string() << " in row " << row << " is " << got.to_string()
                                   << ", not " << expected.to_string();
    }
  }
  return library.size();
}

std::vector<Type> all_types() {
  std::vector<Type> types = random::all_types();
  types.push_back(Type::decimal(15, 2));
  types.push_back(Type::decimal(38, 0));
  return types;
}

/// For some arguments at least.
bool is_offered(const Function& function) {
  const std::string_view own[] = {"greatest", "least", "concat"};  // the emitter's
  return function.device != nullptr ||
         std::find(std::begin(own), std::end(own), function.name) != std::end(own);
}

/// The digits of a decimal decide its type.
bool needs_constant(const Function& function, const std::vector<Type>& types) {
  return function.refine != nullptr && types.back() == TypeId::kInt32;
}

TEST(Emitter, EachFunctionIsItsReference) {
  const Columns columns(all_types());
  const std::vector<Type>& types = columns.types;
  std::vector<ExprPtr> exprs;
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
    if (function.device == nullptr || function.name == "repeat") continue;  // of so many bytes
    add(function, {});
    for (size_t a = 0; a < types.size(); ++a) {
      add(function, {a});
      for (size_t b = 0; b < types.size(); ++b) add(function, {a, b});
    }
  }
  EXPECT_GT(check(exprs, columns), 300);
}

TEST(Emitter, FunctionsOfConstantsAreTheirReference) {
  const Columns columns(all_types());
  const auto part_word = [](DatePart part) { return literal(Value::varchar(std::string(word_of(part)))); };
  std::vector<ExprPtr> exprs;
  const auto add = [&](const char* name, const std::vector<ExprPtr>& args) {
    std::vector<Type> taken;
    for (const ExprPtr& arg : args) taken.push_back(arg->type);
    if (find_function(name, taken) != nullptr) exprs.push_back(call(name, args));
  };
  for (size_t i = 0; i < columns.types.size(); ++i) {
    const ExprPtr x = column(i, columns.types[i]);
    for (int part = 0; part <= static_cast<int>(DatePart::kTimezoneMinute); ++part) {
      if (part == static_cast<int>(DatePart::kNanosecond)) continue;  // no word
      for (const char* name : {"date_part", "date_trunc"})
        add(name, {part_word(static_cast<DatePart>(part)), x});
      for (const char* name : {"date_diff", "date_sub"})
        add(name, {part_word(static_cast<DatePart>(part)), x, x});
    }
    for (const int digits : {-40, -20, -2, -1, 0, 1, 2, 7, 400}) {
      for (const char* name : {"round", "trunc"}) add(name, {x, literal(Value::int32(digits))});
    }
    for (const char* name : {"greatest", "least"}) {
      add(name, {x});
      add(name, {x, literal(columns.held[i]->value(2)), x});
    }
  }
  const auto i64 = [](int64_t value) { return literal(Value::int64(value)); };
  for (size_t i = 0; i < columns.types.size(); ++i) {
    if (columns.types[i] != TypeId::kInt64) continue;
    const ExprPtr x = column(i, TypeId::kInt64);
    add("make_date", {x, i64(2), i64(29)});
    add("make_date", {i64(1900), i64(2), x});
    for (const double second : {0.0, 59.9999999, 60.0, -1.0, 12.345678}) {
      const ExprPtr seconds = literal(Value::float64(second));
      add("make_time", {x, i64(59), seconds});
      add("make_timestamp", {x, i64(12), i64(31), i64(23), i64(59), seconds});
    }
  }
  const auto word = [](const char* text) { return literal(Value::varchar(text)); };
  for (size_t i = 0; i < columns.types.size(); ++i) {
    if (columns.types[i] != TypeId::kVarchar) continue;
    const ExprPtr s = column(i, TypeId::kVarchar);
    for (const int64_t n : {-3, -1, 0, 1, 2, 5}) {
      add("repeat", {s, i64(n)});
      for (const char* name : {"left", "right", "array_extract"}) add(name, {s, i64(n)});
      for (const int64_t m : {-2, 0, 1, 7}) add("substring", {s, i64(n), i64(m)});
      for (const char* pad : {"", "·", "xyz"}) {
        add("lpad", {s, i64(n * 3), word(pad)});
        add("rpad", {word(pad), i64(n * 3), s});
      }
      for (const char* separator : {"", "a", "ab"}) {
        add("split_part", {s, word(separator), i64(n)});
        add("string_split_extract", {s, word(separator), i64(n)});
      }
    }
    for (const char* from : {"", "a", "ß", "ab"}) {
      for (const char* to : {"", "xyz"}) add("replace", {s, word(from), word(to)});
    }
    for (const char* set : {"", "ab", "ßä "}) {
      for (const char* name : {"trim", "ltrim", "rtrim"}) add(name, {s, word(set)});
    }
    for (const char* name : {"upper", "lower"}) {
      add(name, {word("Straße ÄÖÜ ǅ ﬁ Ω ꭰ")});
      add(name, {call("||", {s, word(" Ÿ")})});
    }
    add("concat", {s, word("-"), literal(Value(TypeId::kVarchar)), call("upper", {s})});
  }
  for (const int64_t code : {-1, 0, 65, 223, 8364, 0xd800, 0x10ffff, 0x110000})
    add("chr", {literal(Value::int32(static_cast<int32_t>(code)))});
  EXPECT_GT(check(exprs, columns), 400);
}

TEST(Emitter, EachCastIsItsReference) {
  const Columns columns(all_types());
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
  const Columns columns(generator.columns);
  std::vector<ExprPtr> exprs;
  for (int trial = 0; trial < test_size(100, 400); ++trial) {
    const Type type = generator.pick(2) == 0 ? Type(TypeId::kBool) : generator.any_type();
    exprs.push_back(generator.any(type, 3));
  }
  EXPECT_GT(check(exprs, columns), exprs.size() / 3);
}

/// Names in the paragraph of docs/gpu.md that follows `head`.
std::string listed(const std::string& head) {
  std::ifstream file(LANEWISE_SOURCE_DIR "/docs/gpu.md");
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
    const bool is_pattern =
        std::any_of(pattern_functions().begin(), pattern_functions().end(),
                    [&](const Function& pattern) { return pattern.name == function.name; });
    if (is_pattern) continue;
    (is_offered(function) ? offered : refused).insert(function.name);
  }
  for (const std::string_view name : offered) refused.erase(name);
  EXPECT_EQ(listed("Functions:"), fmt::to_string(fmt::join(offered, " ")));
  EXPECT_EQ(listed("Not offered:"), fmt::to_string(fmt::join(refused, " ")));
}

TEST(Emitter, NamesWhatIsNotOffered) {
  Emitter out([](const Expr&) { return Emitted{"x"}; }, 0);
  try {
    out.emit(*call("reverse", {column(0, TypeId::kVarchar)}));
    FAIL() << "reverse() is not offered";
  } catch (const NotOnDevice& error) {
    EXPECT_EQ(std::string(error.what()), "reverse(#0) is not offered on devices");
  }
  const ExprPtr interval = literal(Value(TypeId::kInterval, Interval{}));
  EXPECT_THROW(out.emit(*call("greatest", {interval, interval})), NotOnDevice);
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
