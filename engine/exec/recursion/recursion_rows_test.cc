#include "exec/recursion/recursion_rows.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "primitives/parallel.h"

namespace lanewise::exec {
namespace recursion_rows_test {

constexpr int kManyRows = 100'000, kBatches = 3;

const Schema& schema() {
  static const Schema columns{{"number", TypeId::kInt32}, {"text", TypeId::kVarchar}};
  return columns;
}

/// Rows that occur twice in a round, and half of them in the next one; NULLs.
Table round_of(int first, int rows) {
  Table table{schema(), {}};
  for (int batch = 0; batch < kBatches; ++batch) {
    std::vector<Value> numbers, texts;
    for (int i = batch; i < rows; i += kBatches) {
      const int key = first + i / 2;
      numbers.push_back(key % 1000 == 7 ? Value(TypeId::kInt32) : Value::int32(key));
      texts.push_back(key % 10 == 3 ? Value(TypeId::kVarchar)
                                    : Value::varchar("text " + std::to_string(key / 3)));
    }
    const auto count = static_cast<int64_t>(numbers.size());
    table.batches.push_back(
        {count, {make_column(TypeId::kInt32, numbers), make_column(TypeId::kVarchar, texts)}});
  }
  return table;
}

std::vector<std::string> sorted(const Table& table) {
  std::vector<std::string> rows;
  for (int64_t row = 0; row < table.rows(); ++row)
    rows.push_back(table.value(row, 0).to_string() + "|" + table.value(row, 1).to_string());
  std::ranges::sort(rows);
  return rows;
}

/// Small rounds, a large one, in which threads begin to share the keys, and others after it.
void expect_as_one_thread(const plan::Recursion& recursion) {
  MemoryBudget budget(size_t{1} << 30);
  KnownRows one(recursion, schema(), &budget, nullptr);
  RecursionRows shared(recursion, schema(), &budget, nullptr);
  for (const int rows : {100, kManyRows, 1, 0, kManyRows, 50}) {
    const Table round = round_of(rows / 4, rows);
    const std::vector<std::string> added = sorted(one.add(round));
    EXPECT_EQ(sorted(with_threads(4, [&] { return shared.add(round); })), added) << rows;
  }
  EXPECT_EQ(sorted(shared.all()), sorted(one.all()));
}

TEST(RecursionRowsTest, NewRowsAreThoseOfOneThread) { expect_as_one_thread({.distinct = true}); }
TEST(RecursionRowsTest, AllRowsAreKept) { expect_as_one_thread({}); }
TEST(RecursionRowsTest, TheLastRowOfAKeyIsKept) {
  expect_as_one_thread({.keys = {0}});
  expect_as_one_thread({.keys = {1}});
}

TEST(RecursionRowsTest, StopsWhenCancelled) {
  Cancellation cancellation;
  const plan::Recursion recursion{.distinct = true};
  RecursionRows rows(recursion, schema(), nullptr, &cancellation);
  cancellation.cancel();
  EXPECT_THROW(with_threads(4, [&] { return rows.add(round_of(0, kManyRows)); }), CancelledError);
}

}  // namespace recursion_rows_test
}  // namespace lanewise::exec
