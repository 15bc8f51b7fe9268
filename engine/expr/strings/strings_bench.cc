#include <benchmark/benchmark.h>

#include <random>

#include "expr/evaluation/evaluate.h"
#include "expr/function.h"
#include "expr/functions/build.h"

namespace lanewise {
namespace {

constexpr uint32_t kRows = 8192;

/// Rows like file paths: 20 to 90 bytes, a slash about every eight; with `other`, letters are not ASCII.
ColumnPtr paths(bool other) {
  std::mt19937 random(1);
  ColumnBuilder column(TypeId::kVarchar);
  for (uint32_t row = 0; row < kRows; ++row) {
    std::string path = "usr";
    for (size_t length = 20 + random() % 70; path.size() < length;) {
      path += random() % 8 == 0
                  ? "/"
                  : std::string(1, static_cast<char>((random() % 9 == 0 ? 'A' : 'a') + random() % 26));
      if (other && random() % 10 == 0) path += "ä";
    }
    column.append_text(path + (row % 20 == 0 ? "/libm.so.6" : ".txt"));
  }
  return column.finish();
}

void run(benchmark::State& state, const std::string& name, const std::vector<Value>& literals, bool other) {
  const ColumnPtr column = paths(other);
  std::vector<ExprPtr> args{lanewise::column(0, TypeId::kVarchar)};
  for (const Value& value : literals) args.push_back(literal(value));
  const ExprPtr expr = call(name, args);
  Arena arena;
  EvalContext context;
  context.arena = &arena;
  context.target = lanes::simd();
  for (auto _ : state) {
    arena.reset();
    const Vector text = slice(*column, 0, kRows, arena);
    const ActiveSet rows(kRows, arena);
    if (expr->type.id == TypeId::kBool) {
      benchmark::DoNotOptimize(narrow(*expr, {&text, 1}, rows, context));
    } else {
      benchmark::DoNotOptimize(evaluate(*expr, {&text, 1}, rows, context));
    }
  }
  state.SetBytesProcessed(state.iterations() * static_cast<int64_t>(column->offset(kRows)));
  state.SetItemsProcessed(state.iterations() * kRows);
}

const auto v = [](const char* text) { return Value::varchar(text); };
const auto n = [](int64_t number) { return Value::int64(number); };

[[maybe_unused]] const bool kRegistered = [] {
  const auto add = [](const std::string& name, std::vector<Value> literals, bool other = false) {
    std::string title = name;
    for (const Value& value : literals) title += " " + value.to_string();
    benchmark::RegisterBenchmark((title + (other ? " (not ASCII)" : "")).c_str(),
                                 [=](benchmark::State& state) { run(state, name, literals, other); });
  };
  for (const bool other : {false, true}) {
    for (const char* name : {"length", "lower", "upper", "trim", "reverse"}) add(name, {}, other);
    add("substring", {n(5), n(10)}, other);
    add("right", {n(4)}, other);
  }
  add("||", {v(".old")});
  add("split_part", {v("/"), n(2)});
  add("split_part", {v("/"), n(-1)});
  add("strpos", {v(".so")});
  add("replace", {v("/"), v("::")});
  add("lpad", {Value::int32(100), v(" ")});
  add("contains", {v(".so")});
  add("prefix", {v("usra")});
  add("suffix", {v(".6")});
  add("~~", {v("usr%lib%.so.6")});
  add("~~*", {v("%LIBM%")});
  add("regexp_matches", {v("[.]so[.][0-9]+$")});
  add("regexp_extract", {v("[.]so[.]([0-9]+)$"), Value::int32(1)});
  add("regexp_replace", {v("[.]so[.]([0-9]+)$"), v("-\\1")});
  return true;
}();

}  // namespace
}  // namespace lanewise
