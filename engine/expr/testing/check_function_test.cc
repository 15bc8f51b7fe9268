#include "expr/testing/check_function.h"
#include "expr/functions/build.h"
#include "expr/functions/functions.h"

#include <algorithm>
#include <iterator>
#include <string_view>
#include <unordered_map>

#include "base/error.h"
#include "base/testing/test_size.h"
#include "expr/vectors/loops.h"

namespace lanewise::expr::testing {

namespace {

ColumnPtr dictionary_column(Type type, const std::vector<Value>& values) {
  ColumnBuilder entries(type);
  entries.append_text("an entry that no row has");
  std::unordered_map<std::string, uint32_t> codes;
  auto column = std::make_shared<Column>(*make_column(type, values));
  column->values = Buffer::allocate(values.size() * 4, nullptr, "codes");
  for (size_t i = 0; i < values.size(); ++i) {
    uint32_t code = 0;
    if (!values[i].is_null()) {
      const auto [found, is_new] = codes.try_emplace(values[i].text(), entries.rows());
      if (is_new) entries.append_text(values[i].text());
      code = found->second;
    }
    column->values.mutable_as<uint32_t>()[i] = code;
  }
  column->offsets = {};
  column->dictionary = entries.finish();
  return column;
}

ColumnPtr widened(const Column& narrow) {
  auto column = std::make_shared<Column>(narrow);
  column->wide_offsets = true;
  column->offsets = Buffer::allocate((narrow.rows + 1) * 8, nullptr, "offsets");
  for (int64_t i = 0; i <= narrow.rows; ++i) column->offsets.mutable_as<uint64_t>()[i] = narrow.offset(i);
  return column;
}

}  // namespace

Vector Chunk::views(const ColumnPtr& column, uint32_t rows) {
  Vector vector = slice(*column, 0, rows, arena_);
  auto* views = arena_.allocate<std::string_view>(rows);
  for (uint32_t i = 0; i < rows; ++i) views[i] = vector.is_null(i) ? "not a value" : vector.text(i);
  vector.form = Vector::Form::kValues;
  vector.values = views;
  return vector;
}

void Chunk::add(Type type, std::vector<Value> values, Layout layout) {
  const auto rows = static_cast<uint32_t>(values.size());
  if (layout == Layout::kLiteral || layout == Layout::kConstant) {
    const Value first = rows == 0 ? Value(type) : values[0];
    std::fill(values.begin(), values.end(), first);
    columns_.push_back(constant(first, arena_));
  } else if (layout == Layout::kDictionary && type.is_string()) {
    held_.push_back(dictionary_column(type, values));
    columns_.push_back(slice(*held_.back(), 0, rows, arena_));
  } else if (layout == Layout::kViews && type.is_string()) {
    held_.push_back(make_column(type, values));
    columns_.push_back(views(held_.back(), rows));
  } else {
    std::vector<Value> longer(3, values.empty() ? Value(type) : values.back());
    longer.insert(longer.end(), values.begin(), values.end());
    ColumnPtr column = make_column(type, longer);
    if (layout == Layout::kWideText && type.is_string()) column = widened(*column);
    held_.push_back(column);
    columns_.push_back(slice(*column, 3, rows, arena_));
  }
  values_.push_back(std::move(values));
}

std::vector<Value> Chunk::row(uint32_t i) const {
  std::vector<Value> row;
  for (const auto& column : values_) row.push_back(column[i]);
  return row;
}

ActiveSet random_rows(uint32_t rows, double share, std::mt19937& random, Arena& arena) {
  ActiveSet all(rows, arena);
  if (share >= 1) return all;
  auto* keep = arena.allocate<uint64_t>(bits::words(rows) + 1);
  std::fill_n(keep, bits::words(rows) + 1, 0);
  for (uint32_t i = 0; i < rows; ++i) {
    if (std::uniform_real_distribution<>(0, 1)(random) < share) bits::set(keep, i);
  }
  return all.narrowed(keep);
}

bool check(const Expr& expr, Chunk& chunk, const ActiveSet& rows, lanes::Target target) {
  EvalContext context;
  context.arena = &chunk.arena();
  context.target = target;
  std::vector<std::optional<Value>> expected(rows.rows());
  bool raises = false;
  const uint64_t shared = shared_references;
  rows.for_each([&](uint32_t row) {
    try {
      expected[row] = evaluate_reference(expr, chunk.row(row));
    } catch (const UserError&) {
      raises = true;
    }
  });
  EXPECT_EQ(shared_references, shared)
      << "the reference is the evaluator's own function: " << expr.to_string();
  if (raises) {
    EXPECT_THROW(evaluate(expr, chunk.columns(), rows, context), UserError) << expr.to_string();
    return false;
  }
  const auto args = [&](uint32_t row) {
    std::string text;
    for (const Value& value : chunk.row(row)) text += " [" + value.to_string().substr(0, 200) + "]";
    return expr.to_string().substr(0, 200) + text;
  };
  const Vector result = evaluate(expr, chunk.columns(), rows, context);
  rows.for_each([&](uint32_t row) {
    const Value value = value_at(result, result.constant ? 0 : row);
    EXPECT_TRUE(value == *expected[row]) << args(row) << " is " << value.to_string().substr(0, 200)
                                         << ", not " << expected[row]->to_string().substr(0, 200);
  });
  if (expr.type.id != TypeId::kBool) return true;
  const ActiveSet kept = narrow(expr, chunk.columns(), rows, context);
  uint32_t count = 0;
  rows.for_each([&](uint32_t row) {
    count += expected[row]->is_true();
    EXPECT_EQ(bits::test(kept.bitmap(), row), expected[row]->is_true()) << args(row);
  });
  EXPECT_EQ(kept.count(), count);
  return true;
}

void check_function(std::string_view name, std::vector<Type> types, MakeValue value,
                    std::vector<size_t> literal_args) {
  const Function* function = find_function(name, types);
  ASSERT_NE(function, nullptr) << name;
  std::mt19937 random(static_cast<unsigned>(std::hash<std::string_view>()(name) + types.size()));
  const auto any = [&](auto&& choices) { return choices[random() % std::size(choices)]; };
  const auto targets = lanes::supported_targets();
  int chunks = 0;
  int raised = 0;
  for (uint32_t size :
       test_size<std::vector<uint32_t>>({0, 1, 33, 65}, {0, 1, 31, 32, 33, 63, 64, 65, 1000})) {
    for (int trial = 0; trial < (size == 1000 ? 8 : 12); ++trial) {
      Chunk chunk;
      std::vector<ExprPtr> args;
      const bool nulls = trial % 2 == 0;
      for (size_t i = 0; i < types.size(); ++i) {
        std::vector<Value> values;
        // A small number of distinct values makes the dictionaries small.
        std::vector<Value> choices;
        for (int n = any(std::vector{3, 40, 1000}); n > 0; --n) choices.push_back(value(i, random));
        for (uint32_t row = 0; row < size; ++row) {
          values.push_back(nulls && random() % 8 == 0 ? Value(types[i]) : any(choices));
        }
        const bool literal_only = std::count(literal_args.begin(), literal_args.end(), i) != 0;
        Layout layout = trial < 6 && i == 0 ? kLayouts[trial] : any(kLayouts);
        if (literal_only || (i > 0 && trial % 3 == 0)) layout = Layout::kLiteral;
        if (literal_only && (values.empty() || values[0].is_null())) {
          values.assign(std::max<size_t>(values.size(), 1), value(i, random));
          values.resize(std::max<uint32_t>(size, 1), values[0]);
        }
        const Value first = values.empty() ? Value(types[i]) : values[0];
        args.push_back(layout == Layout::kLiteral ? literal(first) : column(i, types[i]));
        if (literal_only) values.resize(size, first);
        chunk.add(types[i], std::move(values), layout);
      }
      const ActiveSet rows =
          random_rows(size, any(std::vector{1.0, 1.0, 0.7, 0.05, 0.0}), random, chunk.arena());
      raised += !check(*call(name, args), chunk, rows, any(targets));
      ++chunks;
      if (::testing::Test::HasFailure()) return;
    }
  }
  EXPECT_LT(raised, chunks / 2) << name << " raises so often that little is compared";
}

namespace {

using namespace std::string_view_literals;

/// One of each kind of character that functions of strings treat in its own way; the first kPlainPieces are
/// printable ASCII.
constexpr std::string_view kTextPieces[] = {
    "a",          "b",  "c",      "A",      "B",      "Z",      "z",      "0",       "9",      " ",
    "-",          "/",  "%",      "_",      "\\",     "ab",     "abc",    ".",       "$",      "aa",
    "\r",         "\n", "\0"sv,   "ä",      "Ä",      "ß",      "é",      "e\u0301", "\u0301", "ÿ",
    "Ÿ",          "İ",  "ı",      "ſ",      "Ǆ",      "ǅ",      "Σ",      "ς",       "ж",      "Ж",
    "\u212A",     "ⱥ",  "Ⱥ",      "ﬁ",      "漢",     "字",     "한",     "각",      "\u1100", "\u1161",
    "\u11A8",     "क",  "\u094D", "ष",      "\u200D", "\u200C", "🙂",     "👩",      "🏽",     "\U0001F1E9",
    "\U0001F1EA", "𐐀",  "𐐨",      "\u0600", "\u0903", "\u00A0", "\u3000", "\u2003",  "\u0378"};
constexpr size_t kPlainPieces = 20;

}  // namespace

std::string random_text(std::mt19937& random, size_t longest) {
  const bool plain = random() % 3 == 0;
  size_t pieces = random() % (longest + 1);
  if (random() % 2000 == 0) pieces = 40'000;  // 100 kB
  std::string text;
  for (; pieces > 0; --pieces)
    text += kTextPieces[random() % (plain ? kPlainPieces : std::size(kTextPieces))];
  if (plain && random() % 4 == 0) text.append(random() % 70, 'X');
  return text;
}

}  // namespace lanewise::expr::testing
