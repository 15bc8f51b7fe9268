#include <benchmark/benchmark.h>

#include <algorithm>
#include <ctime>
#include <future>

#include "data/testing/fake_source.h"
#include "exec/gpu/make_program.h"
#include "exec/gpu/plain_kernels.h"
#include "expr/functions/build.h"
#include "gpu/modules/compiler.h"
#include "gpu/testing/nvrtc.h"
#include "ops/aggregate/gpu/groups/group_kernels.h"
#include "ops/gpu/branch/section_sources.h"
#include "ops/gpu/testing/call_of.h"
#include "ops/operators/operators.h"
#include "plan/pipeline/pipeline.h"

/// What a new query's kernels take to compile for sm_90; needs NVRTC, not a GPU. Real time is that of
/// all sources at once, one thread each. Counted is processor time in ms, each the least of all iterations:
/// of the source that takes longest (what it comes to where there are cores enough), of all, and of the
/// longest one of those that are not compiled ahead.
namespace lanewise::exec {
namespace {

constexpr char kArchitecture[] = "sm_90";

/// A pipeline over columns that hold no NULLs.
struct Query {
  plan::NodePtr plan;
  bool short_texts = false;  ///< of all columns
};

plan::NodePtr scan_of(const std::vector<Type>& types) {
  Schema schema;
  std::vector<size_t> columns;
  for (const Type& type : types) {
    columns.push_back(columns.size());
    schema.push_back({"c" + std::to_string(columns.back()), type});
  }
  return plan::scan(std::make_shared<FakeSource>(schema, std::vector<std::vector<Value>>()), columns);
}

plan::NodePtr aggregate(plan::NodePtr child, std::vector<ExprPtr> keys,
                        std::vector<plan::AggregateCall> calls) {
  std::vector<std::string> names(keys.size() + calls.size(), "x");
  return plan::aggregate(std::move(child), std::move(keys), std::move(calls), std::move(names));
}

plan::AggregateCall count() { return call_of("count_star", {}, TypeId::kInt64); }
plan::AggregateCall sum(ExprPtr of) {
  const Type type =
      of->type.id == TypeId::kDecimal ? Type::decimal(38, of->type.scale) : Type(TypeId::kInt128);
  return call_of("sum", {std::move(of)}, type);
}
plan::AggregateCall avg(ExprPtr of) { return call_of("avg", {std::move(of)}, TypeId::kFloat64); }
ExprPtr text(const char* value) { return literal(Value::varchar(value)); }
ExprPtr number(int32_t value) { return literal(Value::int32(value)); }
ExprPtr date(int32_t day) { return literal(Value(TypeId::kDate, int128_t{day})); }

const Type kInt = TypeId::kInt32, kText = TypeId::kVarchar, kDate = TypeId::kDate,
           kMoney = Type::decimal(15, 2);

Query filtered_count() {
  return {aggregate(plan::filter(scan_of({kInt}), call("<", {column(0, kInt), number(10)})), {}, {count()})};
}

Query like(const char* function, const char* pattern) {
  const ExprPtr matches = call(function, {column(0, kText), text(pattern)});
  return {aggregate(plan::filter(scan_of({kText}), matches), {}, {count()})};
}

Query group_of_ints() {
  return {aggregate(scan_of({kInt, kInt}), {column(0, kInt)}, {sum(column(1, kInt))})};
}

Query group_of_texts(bool are_short) {
  return {aggregate(scan_of({kText}), {column(0, kText)}, {count()}), are_short};
}

Query group_of_extracts() {
  const ExprPtr part =
      call("regexp_extract", {column(0, kText), text("^usr/share/man/([a-z]{2,3}(_[A-Z]{2})?)"), number(1)});
  return {aggregate(scan_of({kText}), {part}, {count()})};
}

Query filtered_extracts() {
  const ExprPtr part = call("regexp_extract", {column(0, kText), text("([a-z]+)[0-9]{3}"), number(1)});
  return {aggregate(plan::filter(scan_of({kText}), call(">", {part, text("m")})), {}, {count()})};
}

Query projected_rewrites() {
  const ExprPtr made =
      call("regexp_replace", {column(0, kText), text("([0-9]+)[.]"), text("<\\1>"), text("g")});
  return {plan::project(scan_of({kText}), {made}, {"x"})};
}

Query filtered_group_of_texts() {
  const auto rows = plan::filter(scan_of({kText, kInt}), call("<", {column(1, kInt), number(10)}));
  return {aggregate(rows, {column(0, kText)}, {count()})};
}

Query largest_texts_of_groups() {
  return {
      aggregate(scan_of({kText, kText}), {column(0, kText)}, {call_of("max", {column(1, kText)}, kText)})};
}

Query sort_of_ints() { return {plan::sort(scan_of({kInt, kInt}), {{.expr = column(0, kInt)}})}; }

/// TPC-H's: shipdate, quantity, price, discount, tax, flag, status; as DuckDB binds them.
Query q6() {
  const Type exact = Type::decimal(15, 2);
  const auto constant = [&](int64_t value) { return literal(Value(exact, int128_t{value})); };
  const ExprPtr when = column(0, kDate), quantity = column(1, kMoney), price = column(2, kMoney),
                discount = column(3, kMoney);
  return {aggregate(
      plan::filter(scan_of({kDate, kMoney, kMoney, kMoney}),
                   conjunction({call(">=", {when, date(8766)}), call("<", {when, date(9131)}),
                                call(">=", {discount, constant(5)}), call("<=", {discount, constant(7)}),
                                call("<", {quantity, constant(2400)})})),
      {}, {sum(call("*", {price, discount}))})};
}

Query q1() {
  const Type wider = Type::decimal(16, 2);
  const ExprPtr one = literal(Value(wider, int128_t{100}));
  const ExprPtr quantity = column(1, kMoney), price = column(2, kMoney), discount = column(3, kMoney),
                tax = column(4, kMoney);
  const ExprPtr sold = call("*", {price, call("-", {one, cast(discount, wider)})});
  const ExprPtr charged = call("*", {sold, call("+", {one, cast(tax, wider)})});
  return {aggregate(plan::filter(scan_of({kDate, kMoney, kMoney, kMoney, kMoney, kText, kText}),
                                 call("<=", {column(0, kDate), date(10471)})),
                    {column(5, kText), column(6, kText)},
                    {sum(quantity), sum(price), sum(sold), sum(charged), avg(quantity), avg(price),
                     avg(discount), count()}),
          true};
}

/// The sources of its kernels, next to those of all queries.
std::vector<std::string> sources_of(const Query& query, bool soon = false) {
  const plan::Pipeline pipeline = std::move(split(*query.plan).back());
  const std::unique_ptr<ops::DeviceSink> sink = ops::sink_operator(pipeline).open_on_device(pipeline);
  const codegen::Program program = make_program(pipeline.branches[0], sink->form(), {});
  const std::vector<size_t> columns = columns_of(program);
  std::vector<codegen::ColumnForm> forms;
  for (const size_t column : columns) {
    const Type type = pipeline.branches[0].schema[column].type;
    forms.push_back({.type = type, .short_texts = query.short_texts && type.is_string()});
  }
  std::vector<std::string> sources;
  const ops::SectionSources made(program, *sink, columns, forms);
  for (const codegen::KernelText& text :
       soon ? static_cast<const ops::GroupKernels&>(made.sink()).slot_texts() : made.texts())
    sources.push_back(text.text());
  return sources;
}

double processor_ms() { return static_cast<double>(std::clock()) * 1e3 / CLOCKS_PER_SEC; }

void compile(const std::string& source) {
  benchmark::DoNotOptimize(gpu::Compiler::system().compile(kernel_source(source), kArchitecture));
}

void compile_query(benchmark::State& state, const std::vector<std::string>& sources) {
  if (!gpu::find_nvrtc(LANEWISE_SOURCE_DIR)) return state.SkipWithError("NVRTC is not here");
  std::vector<double> least(sources.size(), 1e9);
  for (auto _ : state) {
    std::vector<std::future<void>> all;
    for (const std::string& source : sources) all.push_back(std::async(std::launch::async, compile, source));
    for (std::future<void>& one : all) one.get();
    state.PauseTiming();
    for (size_t i = 0; i < sources.size(); ++i) {
      const double before = processor_ms();
      compile(sources[i]);
      least[i] = std::min(least[i], processor_ms() - before);
    }
    state.ResumeTiming();
  }
  const std::vector<std::string> ahead = plain_kernels();
  double all = 0, left = 0;
  for (size_t i = 0; i < sources.size(); ++i) {
    all += least[i];
    if (std::find(ahead.begin(), ahead.end(), sources[i]) == ahead.end()) left = std::max(left, least[i]);
  }
  state.counters["sources"] = static_cast<double>(sources.size());
  state.counters["longest"] = *std::max_element(least.begin(), least.end());
  state.counters["all"] = all;
  state.counters["left"] = left;
}

const int kRegistered = [] {
  const auto add = [](const char* name, const std::vector<std::string>& sources) {
    benchmark::RegisterBenchmark((std::string("compile/") + name).c_str(), compile_query, sources)
        ->Iterations(5)
        ->Unit(benchmark::kMillisecond)
        ->UseRealTime();
  };
  add("shared", {list_kernels()});
  add("count", sources_of(filtered_count()));
  add("like_anywhere", sources_of(like("contains", "google.d")));
  add("like_prefix", sources_of(like("~~", "abc%")));
  add("equality", sources_of(like("=", "abc")));
  add("regex", sources_of(like("regexp_matches", "google[.]d|yahoo|bing-")));
  add("group_ints", sources_of(group_of_ints()));
  add("group_texts", sources_of(group_of_texts(false)));
  add("group_short_texts", sources_of(group_of_texts(true)));
  add("group_texts_filtered", sources_of(filtered_group_of_texts()));
  add("max_of_texts_in_groups", sources_of(largest_texts_of_groups()));
  add("group_extracts", sources_of(group_of_extracts()));
  add("filtered_extracts", sources_of(filtered_extracts()));
  add("rewrites", sources_of(projected_rewrites()));
  add("order_ints", sources_of(sort_of_ints()));
  add("tpch_q6", sources_of(q6()));
  add("tpch_q1", sources_of(q1()));
  add("tpch_q1_soon", sources_of(q1(), true));
  add("max_of_texts_soon", sources_of(largest_texts_of_groups(), true));
  add("put_slots", {put_slots_kernel()});
  return 0;
}();

}  // namespace
}  // namespace lanewise::exec
