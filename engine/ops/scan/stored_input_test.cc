#include "ops/scan/stored_input.h"
#include "expr/functions/build.h"

#include <gtest/gtest.h>

#include <memory>

namespace lanewise::ops {
namespace stored_input_test {

ExprPtr at(size_t place) { return column(place, TypeId::kInt32); }
ExprPtr number(int32_t value) { return literal(Value::int32(value)); }

/// The numbers row / `divisor` in chunks of these lengths.
ColumnStore::Chunks chunks(const std::vector<int64_t>& lengths, int32_t divisor) {
  std::vector<StoredChunk> made;
  int32_t row = 0;
  for (const int64_t length : lengths) {
    ColumnBuilder builder(TypeId::kInt32);
    for (int64_t i = 0; i < length; ++i) builder.append_physical(row++ / divisor);
    ColumnPtr chunk = builder.finish();
    const std::vector<Bounds> zones = zones_of(*chunk);
    made.push_back({made.size(), chunk, merge(zones), zones});
  }
  return std::make_shared<const std::vector<StoredChunk>>(std::move(made));
}

std::vector<std::pair<int64_t, int64_t>> found(const std::vector<ColumnStore::Chunks>& columns, int64_t rows,
                                               const std::vector<ExprPtr>& predicates) {
  std::vector<std::pair<int64_t, int64_t>> pairs;
  for (const RowRange& range : ranges_that_may_hold(columns, rows, predicates))
    pairs.emplace_back(range.first, range.end);
  return pairs;
}

TEST(StoredInput, RangesThatMayHold) {
  using Pairs = std::vector<std::pair<int64_t, int64_t>>;
  constexpr int64_t kRows = 4 * kZoneRows + 100;
  // Chunks of the columns differ, and one is empty; zones begin with each chunk.
  const auto first = chunks({kZoneRows, 0, 3 * kZoneRows + 100}, 1);
  const auto second = chunks({1000, 4 * kZoneRows - 900}, 1000);
  const std::vector<ColumnStore::Chunks> columns = {first, second, nullptr};
  const auto less = [](size_t place, int64_t value) {
    return call("<", {at(place), number(static_cast<int32_t>(value))});
  };
  const auto more = [](size_t place, int64_t value) {
    return call(">", {at(place), number(static_cast<int32_t>(value))});
  };
  EXPECT_EQ(found(columns, kRows, {}), (Pairs{{0, kRows}}));
  EXPECT_EQ(found(columns, kRows, {less(0, 0)}), Pairs());
  EXPECT_EQ(found(columns, kRows, {less(0, 1)}), (Pairs{{0, kZoneRows}}));
  EXPECT_EQ(found(columns, kRows, {more(0, 4 * kZoneRows)}), (Pairs{{4 * kZoneRows, kRows}}));
  EXPECT_EQ(found(columns, kRows, {more(0, kZoneRows), less(0, 3 * kZoneRows)}),
            (Pairs{{kZoneRows, 3 * kZoneRows}}));
  EXPECT_EQ(found(columns, kRows, {disjunction({less(0, 5), more(0, 3 * kZoneRows + 5)})}),
            (Pairs{{0, kZoneRows}, {3 * kZoneRows, kRows}}));
  EXPECT_EQ(found(columns, kRows, {less(1, 1)}), (Pairs{{0, 1000}}));
  EXPECT_EQ(found(columns, kRows, {less(1, 2), more(0, 999)}), (Pairs{{0, 1000 + kZoneRows}}));
  EXPECT_EQ(found(columns, kRows, {less(2, 0)}), (Pairs{{0, kRows}}));  // nothing is known
  EXPECT_EQ(found(columns, kRows, {less(2, 0), less(0, 0)}), Pairs());
  EXPECT_EQ(found({chunks({5}, 1)}, kRows, {less(0, 0)}), (Pairs{{0, kRows}}));  // of other rows
  EXPECT_EQ(found(columns, 0, {less(2, 0)}), Pairs());
}

}  // namespace stored_input_test
}  // namespace lanewise::ops
