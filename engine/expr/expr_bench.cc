#include <benchmark/benchmark.h>

#include <random>

#include "data/vector.h"
#include "expr/evaluation/evaluate.h"
#include "expr/functions/build.h"

/// Expressions over columns in memory, chunk by chunk as operators run them. Bytes are those of the columns
/// read; "read" is the machine's plain read of that many bytes, the upper bound.
namespace lanewise {
namespace {

constexpr int64_t kRows = 1 << 22;
constexpr uint32_t kChunk = 2048;

template <class T, class F>
ColumnPtr numbers(Type type, F value) {
  auto column = std::make_shared<Column>();
  column->type = type;
  column->rows = kRows;
  column->values = Buffer::allocate(kRows * sizeof(T), nullptr, "bench");
  std::mt19937_64 random(1);
  for (int64_t row = 0; row < kRows; ++row) {
    column->values.mutable_as<T>()[row] = static_cast<T>(value(random()));
  }
  return column;
}

ColumnPtr with_nulls(const ColumnPtr& column) {
  auto result = std::make_shared<Column>(*column);
  result->validity = Buffer::allocate(kRows / 8, nullptr, "bench");
  std::mt19937_64 random(2);
  for (int64_t word = 0; word < kRows / 64; ++word) {
    result->validity.mutable_as<uint64_t>()[word] = random() | random() | random();
  }
  result->nulls = 1;  // some
  return result;
}

ColumnPtr words() {
  constexpr std::string_view kWords[] = {"MAIL", "SHIP", "REG AIR", "RAIL", "TRUCK", "FOB", "AIR"};
  ColumnBuilder builder(TypeId::kVarchar);
  std::mt19937 random(3);
  for (int64_t row = 0; row < kRows; ++row) builder.append_text(kWords[random() % std::size(kWords)]);
  return builder.finish();
}

/// The columns of the benchmarks, made once.
struct Data {
  Type money = Type::decimal(15, 2);
  ColumnPtr price = numbers<int64_t>(money, [](uint64_t r) { return r % 10'000'000; });
  ColumnPtr discount = numbers<int64_t>(money, [](uint64_t r) { return r % 11; });
  ColumnPtr tax = numbers<int64_t>(money, [](uint64_t r) { return r % 9; });
  ColumnPtr wide = numbers<int128_t>(Type::decimal(30, 2), [](uint64_t r) { return r % 10'000'000; });
  ColumnPtr small = numbers<int32_t>(TypeId::kInt32, [](uint64_t r) { return r % 1000; });
  ColumnPtr big = numbers<int64_t>(TypeId::kInt64, [](uint64_t r) { return r % 1'000'000; });
  ColumnPtr real =
      numbers<double>(TypeId::kFloat64, [](uint64_t r) { return static_cast<double>(r % 1000); });
  ColumnPtr date = numbers<int32_t>(TypeId::kDate, [](uint64_t r) { return 8000 + r % 2500; });
  ColumnPtr some = with_nulls(price);
  ColumnPtr mode = words();
};
const Data& data() {
  static const Data data;
  return data;
}

/// `run(vectors, rows, context)` for every chunk of the columns.
template <class F>
void chunks(benchmark::State& state, const std::vector<ColumnPtr>& columns, F run) {
  Arena arena;
  EvalContext context{.arena = &arena, .target = lanes::simd()};
  size_t bytes = 0;
  for (const ColumnPtr& column : columns) bytes += column->bytes();
  for (auto _ : state) {
    for (int64_t first = 0; first < kRows; first += kChunk) {
      arena.reset();
      std::vector<Vector> vectors;
      for (const ColumnPtr& column : columns) vectors.push_back(slice(*column, first, kChunk, arena));
      run(vectors, ActiveSet(kChunk, arena), context);
    }
  }
  state.SetItemsProcessed(state.iterations() * kRows);
  state.SetBytesProcessed(state.iterations() * static_cast<int64_t>(bytes));
}

void evaluates(benchmark::State& state, const ExprPtr& expr, const std::vector<ColumnPtr>& columns) {
  chunks(state, columns,
         [&](const std::vector<Vector>& vectors, const ActiveSet& rows, EvalContext& context) {
           benchmark::DoNotOptimize(evaluate(*expr, vectors, rows, context).values);
         });
}
void narrows(benchmark::State& state, const ExprPtr& expr, const std::vector<ColumnPtr>& columns) {
  chunks(state, columns,
         [&](const std::vector<Vector>& vectors, const ActiveSet& rows, EvalContext& context) {
           benchmark::DoNotOptimize(narrow(*expr, vectors, rows, context).count());
         });
}

ExprPtr col(size_t i, const ColumnPtr& column) { return lanewise::column(i, column->type); }

void read(benchmark::State& state) {
  const std::vector<ColumnPtr> columns = {data().price, data().discount, data().tax};
  chunks(state, columns, [&](const std::vector<Vector>& vectors, const ActiveSet& rows, EvalContext&) {
    for (const Vector& vector : vectors) {
      uint64_t sum = 0;
      for (uint32_t row = 0; row < rows.rows(); row += 8) sum += vector.as<uint64_t>()[row];
      benchmark::DoNotOptimize(sum);
    }
  });
}
BENCHMARK(read);

/// price * (1 - discount) * (1 + tax), as in TPC-H's first query.
ExprPtr charge(const ColumnPtr& price) {
  const Type rate = Type::decimal(16, 2);
  const ExprPtr one = literal({rate, int128_t{100}});
  const ExprPtr less = call("-", {one, cast(col(1, data().discount), rate)}, rate);
  const ExprPtr more = call("+", {one, cast(col(2, data().tax), rate)}, rate);
  return call("*", {call("*", {col(0, price), less}), more});
}
void decimal_charge(benchmark::State& state) {
  evaluates(state, charge(data().price), {data().price, data().discount, data().tax});
}
BENCHMARK(decimal_charge);
void decimal_charge_nulls(benchmark::State& state) {
  evaluates(state, charge(data().some), {data().some, data().discount, data().tax});
}
BENCHMARK(decimal_charge_nulls);
void decimal_multiply(benchmark::State& state) {
  evaluates(state, call("*", {col(0, data().price), col(1, data().discount)}),
            {data().price, data().discount});
}
BENCHMARK(decimal_multiply);
void wide_decimal_multiply(benchmark::State& state) {
  evaluates(state, call("*", {col(0, data().wide), col(0, data().wide)}), {data().wide});
}
BENCHMARK(wide_decimal_multiply);
void add_int32(benchmark::State& state) {
  evaluates(state, call("+", {col(0, data().small), col(0, data().small)}), {data().small});
}
BENCHMARK(add_int32);
void multiply_int64(benchmark::State& state) {
  evaluates(state, call("*", {col(0, data().big), col(0, data().big)}), {data().big});
}
BENCHMARK(multiply_int64);
void multiply_double(benchmark::State& state) {
  evaluates(state, call("*", {col(0, data().real), col(0, data().real)}), {data().real});
}
BENCHMARK(multiply_double);
void cast_int32_to_int64(benchmark::State& state) {
  evaluates(state, cast(col(0, data().small), TypeId::kInt64), {data().small});
}
BENCHMARK(cast_int32_to_int64);
void cast_int32_to_decimal(benchmark::State& state) {
  evaluates(state, cast(col(0, data().small), Type::decimal(18, 2)), {data().small});
}
BENCHMARK(cast_int32_to_decimal);
void year_of_date(benchmark::State& state) {
  evaluates(state, call("year", {col(0, data().date)}), {data().date});
}
BENCHMARK(year_of_date);

void narrow_less(benchmark::State& state) {
  narrows(state, call("<", {col(0, data().small), literal(Value::int32(500))}), {data().small});
}
BENCHMARK(narrow_less);
void narrow_dates_and_discount(benchmark::State& state) {
  const ExprPtr date = col(0, data().date);
  const ExprPtr discount = col(1, data().discount);
  narrows(state,
          conjunction({call(">=", {date, literal({TypeId::kDate, int128_t{8766}})}),
                       call("<", {date, literal({TypeId::kDate, int128_t{9131}})}),
                       call("BETWEEN", {discount, literal({data().money, int128_t{5}}),
                                        literal({data().money, int128_t{7}})})}),
          {data().date, data().discount});
}
BENCHMARK(narrow_dates_and_discount);
void narrow_or(benchmark::State& state) {
  const ExprPtr x = col(0, data().small);
  narrows(
      state,
      disjunction({call("<", {x, literal(Value::int32(10))}), call(">", {x, literal(Value::int32(900))})}),
      {data().small});
}
BENCHMARK(narrow_or);
void narrow_in_numbers(benchmark::State& state) {
  std::vector<ExprPtr> items;
  for (int32_t i = 0; i < state.range(0); ++i) items.push_back(literal(Value::int32(i * 7)));
  narrows(state, in_list(col(0, data().small), items), {data().small});
}
BENCHMARK(narrow_in_numbers)->Arg(4)->Arg(100);
void narrow_equal_text(benchmark::State& state) {
  narrows(state, call("=", {col(0, data().mode), literal(Value::varchar("REG AIR"))}), {data().mode});
}
BENCHMARK(narrow_equal_text);
void narrow_in_texts(benchmark::State& state) {
  narrows(state,
          in_list(col(0, data().mode), {literal(Value::varchar("MAIL")), literal(Value::varchar("SHIP"))}),
          {data().mode});
}
BENCHMARK(narrow_in_texts);
void case_when_else(benchmark::State& state) {
  const ExprPtr x = col(0, data().small);
  evaluates(state, case_when({call("<", {x, literal(Value::int32(500))}), x, literal(Value::int32(0))}),
            {data().small});
}
BENCHMARK(case_when_else);

}  // namespace
}  // namespace lanewise
