#include <benchmark/benchmark.h>

#include <cstring>
#include <functional>
#include <map>
#include <string>

#include "lanes/targets/target.h"
#include "ops/sort/sort.h"
#include "primitives/parallel.h"

/// ORDER BY over columns in memory, payload and result included. LANEWISE_BENCH_ROWS sets the rows (2^23 when
/// it is not set).
///
/// The upper bound: a row's number and key (16 bytes) are written once, moved by one partitioning pass and by
/// one within the caches, and read once to pick the row, which is a random access. `moves` does that without
/// comparing keys: read and written three times, then one random read and one write of 8 bytes.
namespace lanewise::ops {
namespace {

int64_t row_count() {
  static const char* const text = std::getenv("LANEWISE_BENCH_ROWS");
  static const int64_t rows = text == nullptr ? int64_t{1} << 23 : std::stoll(text);
  return rows;
}

uint64_t scrambled(uint64_t i) {
  i = (i ^ i >> 31) * 0x9e3779b97f4a7c15;
  i = (i ^ i >> 29) * 0xbf58476d1ce4e5b9;
  return i ^ i >> 32;
}

ColumnPtr numbers(const std::function<int64_t(uint64_t)>& value) {
  auto column = std::make_shared<Column>();
  column->type = TypeId::kInt64;
  column->rows = row_count();
  column->values = Buffer::allocate(static_cast<size_t>(column->rows) * 8, nullptr, "bench");
  for (int64_t i = 0; i < column->rows; ++i)
    column->values.mutable_as<int64_t>()[i] = value(scrambled(static_cast<uint64_t>(i)));
  return column;
}

ColumnPtr texts(const std::function<std::string(uint64_t)>& value) {
  ColumnBuilder builder(TypeId::kVarchar);
  for (int64_t i = 0; i < row_count(); ++i) builder.append_text(value(scrambled(static_cast<uint64_t>(i))));
  return builder.finish();
}

struct Data {
  const char* name;
  std::vector<ColumnPtr> (*columns)();
  int keys;
};

const Data kData[] = {
    {"int64", [] { return std::vector{numbers([](uint64_t r) { return static_cast<int64_t>(r); })}; }, 1},
    {"int64 below 1000", [] { return std::vector{numbers([](uint64_t r) { return int64_t(r % 1000); })}; },
     1},
    {"two int64, four columns",
     [] {
       const auto any = numbers([](uint64_t r) { return static_cast<int64_t>(r); });
       return std::vector{numbers([](uint64_t r) { return int64_t(r % 1000); }), any, any, any};
     },
     2},
    {"numbers as strings", [] { return std::vector{texts([](uint64_t r) { return std::to_string(r); })}; },
     1},
    {"paths",
     [] {
       return std::vector{texts([](uint64_t r) {
         return "usr/share/doc/package-" + std::to_string(r % 50'000) + "/" + std::to_string(r >> 40) + ".gz";
       })};
     },
     1},
    {"few strings, then int64",
     [] {
       return std::vector{texts([](uint64_t r) { return "key number " + std::to_string(r % 1000); }),
                          numbers([](uint64_t r) { return static_cast<int64_t>(r); })};
     },
     2},
};

void order_by(benchmark::State& state) {
  const Data& data = kData[state.range(0)];
  state.SetLabel(data.name);
  static std::map<const Data*, std::vector<ColumnPtr>> made;
  auto& columns = made[&data];
  if (columns.empty()) columns = data.columns();
  Schema schema;
  plan::Sort sort;
  for (const ColumnPtr& column : columns) schema.push_back({"", column->type});
  for (int k = 0; k < data.keys; ++k)
    sort.keys.push_back({column(static_cast<size_t>(k), schema[static_cast<size_t>(k)].type), false, false});
  sort.limit = state.range(1);
  constexpr uint32_t kChunkRows = 8192;
  Arena arena;
  EvalContext context{&arena, lanes::simd()};
  for (auto _ : state) {
    with_threads(static_cast<int>(state.range(2)), [&] {
      const auto sink = make_sort(sort, schema);
      std::vector<std::unique_ptr<Sink::Local>> locals;
      locals.push_back(sink->local());
      for (int64_t first = 0; first < row_count(); first += kChunkRows) {
        arena.reset();
        const auto rows = static_cast<uint32_t>(std::min<int64_t>(kChunkRows, row_count() - first));
        Chunk chunk{static_cast<uint64_t>(first), rows, {}, ActiveSet(rows, arena)};
        for (const ColumnPtr& column : columns) chunk.columns.push_back(slice(*column, first, rows, arena));
        sink->consume(*locals[0], chunk, context);
      }
      const Table table = sink->finish(std::move(locals), context);
      const int64_t expected = sort.limit < 0 ? row_count() : sort.limit;
      if (table.rows() != expected) state.SkipWithError("rows are missing");
    });
  }
  state.SetItemsProcessed(state.iterations() * row_count());
}
BENCHMARK(order_by)
    ->ArgNames({"data", "limit", "threads"})
    ->ArgsProduct({benchmark::CreateDenseRange(0, 5, 1), {-1, 10}, {1}})
    ->ArgsProduct({{0, 3}, {-1}, {2}})
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();

void moves(benchmark::State& state) {
  struct Row {
    uint64_t key, row;
  };
  const auto rows = static_cast<size_t>(row_count());
  const ColumnPtr column = numbers([](uint64_t r) { return static_cast<int64_t>(r); });
  const auto* values = column->values.as<int64_t>();
  for (auto _ : state) {
    Buffer a = Buffer::allocate(rows * sizeof(Row), nullptr, "bench");
    Buffer b = Buffer::allocate(rows * sizeof(Row), nullptr, "bench");
    Buffer result = Buffer::allocate(rows * 8, nullptr, "bench");
    auto* from = a.mutable_as<Row>();
    auto* to = b.mutable_as<Row>();
    for (size_t i = 0; i < rows; ++i) from[i] = {static_cast<uint64_t>(values[i]), scrambled(i) % rows};
    std::memcpy(to, from, rows * sizeof(Row));
    std::memcpy(from, to, rows * sizeof(Row));
    for (size_t i = 0; i < rows; ++i) result.mutable_as<int64_t>()[i] = values[from[i].row];
    benchmark::DoNotOptimize(result.data());
  }
  state.SetItemsProcessed(state.iterations() * row_count());
}
BENCHMARK(moves)->Unit(benchmark::kMillisecond)->UseRealTime();

}  // namespace
}  // namespace lanewise::ops
