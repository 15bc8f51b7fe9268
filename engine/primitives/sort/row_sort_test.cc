#include "primitives/sort/row_sort.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>
#include <string>

#include "base/testing/test_size.h"
#include "primitives/testing/random_column.h"

namespace lanewise {
namespace {

using Keys = std::vector<std::vector<Value>>;  // [key][row]

/// The numbers of all rows in the order of the keys.
std::vector<size_t> expected_order(const Keys& keys, const std::vector<SortDirection>& directions) {
  std::vector<size_t> order(keys[0].size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) {
    for (size_t k = 0; k < keys.size(); ++k) {
      const Value &x = keys[k][a], &y = keys[k][b];
      if (x.is_null() != y.is_null()) return x.is_null() == directions[k].nulls_first;
      if (x.is_null()) continue;
      if (const int sign = compare(x, y); sign != 0) return (sign < 0) != directions[k].descending;
    }
    return false;
  });
  return order;
}

/// Sorts the rows, cut into parts of `part_rows`, and compares the positions [first, last).
void expect_sorted_keys(const Keys& keys, const std::vector<SortDirection>& directions, size_t part_rows,
                        size_t first = 0, size_t last = SIZE_MAX) {
  const size_t count = keys[0].size();
  last = std::min(last, count);
  std::vector<RowKey> row_keys;
  std::vector<ColumnPtr> columns;
  for (size_t k = 0; k < keys.size(); ++k) {
    const Type type = keys[k].empty() ? Type(TypeId::kInt32) : keys[k][0].type();
    row_keys.push_back({type, directions[k], {}});
    for (size_t start = 0; start < count; start += part_rows) {
      const size_t end = std::min(start + part_rows, count);
      columns.push_back(make_column(type, {keys[k].begin() + static_cast<ptrdiff_t>(start),
                                           keys[k].begin() + static_cast<ptrdiff_t>(end)}));
      row_keys[k].parts.push_back(columns.back().get());
    }
  }
  std::vector<KeyRow> rows(count), scratch(count);
  for (size_t i = 0; i < count; ++i) rows[i].row = row_of(i / part_rows, i % part_rows);
  sort_rows(rows, scratch.data(), row_keys, {rows.data() + first, last - first});

  const std::vector<size_t> expected = expected_order(keys, directions);
  for (size_t i = first; i < last; ++i) {
    const size_t row = part_of(rows[i].row) * part_rows + row_in_part(rows[i].row);
    ASSERT_EQ(row, expected[i]) << "place " << i << " of " << count << ": " << keys[0][row].to_string()
                                << " instead of " << keys[0][expected[i]].to_string();
  }
  std::vector<size_t> before;  // rows that belong before `first` come before it
  for (size_t i = 0; i < first; ++i)
    before.push_back(part_of(rows[i].row) * part_rows + row_in_part(rows[i].row));
  std::vector<size_t> expected_before(expected.begin(), expected.begin() + static_cast<ptrdiff_t>(first));
  std::sort(before.begin(), before.end());
  std::sort(expected_before.begin(), expected_before.end());
  ASSERT_EQ(before, expected_before);
}

constexpr SortDirection kDirections[] = {{false, false}, {false, true}, {true, false}, {true, true}};
constexpr size_t kRowCounts[] = {0, 1, 2, 24, 25, 31, 32, 33, 63, 64, 65, 2047, 2048, 2049};

class OfType : public testing::TestWithParam<Type> {};

TEST_P(OfType, SortsAsStableSortDoes) {
  std::mt19937 random(1);
  for (const size_t count : kRowCounts) {
    SCOPED_TRACE(count);
    for (const SortDirection direction : kDirections) {
      for (const double null_share : {0.0, 0.1, 1.0}) {
        expect_sorted_keys({random::values(GetParam(), count, 6, null_share, random)}, {direction}, 700);
        expect_sorted_keys({random::values(GetParam(), count, 100'000, null_share, random)}, {direction},
                           1000);
      }
    }
  }
}

TEST_P(OfType, SortsByASecondAndThirdKey) {
  std::mt19937 random(2);
  for (const Type first : {Type(TypeId::kInt8), Type(TypeId::kVarchar), Type(TypeId::kFloat64), GetParam()}) {
    for (const size_t count : {33, 2049}) {
      for (size_t d = 0; d < 4; ++d) {
        expect_sorted_keys({random::values(first, count, 20, 0.1, random),
                            random::values(GetParam(), count, 30, 0.1, random),
                            random::values(TypeId::kInt64, count, 100, 0.1, random)},
                           {kDirections[d], kDirections[3 - d], kDirections[0]}, 500);
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, OfType, testing::ValuesIn(random::all_types()), [](const auto& test) {
  std::string name = test.param.name();
  std::replace_if(name.begin(), name.end(), [](char c) { return std::isalnum(c) == 0; }, '_');
  return name;
});

std::vector<Value> texts(size_t count, const std::function<std::string()>& make) {
  std::vector<Value> values;
  for (size_t i = 0; i < count; ++i) values.push_back(Value::varchar(make()));
  return values;
}

TEST(RowSort, SortsStringsOfManyShapes) {
  std::mt19937 random(3);
  const auto letters = [&](size_t longest, const std::string& alphabet) {
    std::string text(random() % (longest + 1), ' ');
    for (char& letter : text) letter = alphabet[random() % alphabet.size()];
    return text;
  };
  const std::vector<std::function<std::string()>> shapes = {
      [&] { return letters(20, "abcdefgh"); },
      [&] { return letters(12, std::string("\0a", 2)); },  // ends and zeros look alike
      [&] { return letters(40, "x"); },
      [&] { return letters(9, "\x7f\x80\xff\x01"); },
      [&] { return "/usr/share/doc/package-" + std::to_string(random() % 500) + "/copyright"; },
      [&] { return std::string(random() % 3 * 100, 'p') + letters(3, "ab"); },
      [&] { return std::string(random() % 40'000, 'a'); },  // deeper than pieces are followed
      [] { return std::string("always the same, and longer than eight bytes"); },
      [] { return std::string(); }};
  for (size_t shape = 0; shape < shapes.size(); ++shape) {
    for (const size_t count : {1, 2, 24, 25, 33, 64, 65, 1000}) {
      SCOPED_TRACE(testing::Message() << "shape " << shape << ", " << count << " rows");
      const auto values = texts(count, shapes[shape]);
      const auto tails = texts(count, [&] { return letters(2, "ab"); });
      for (const bool descending : {false, true}) {
        expect_sorted_keys({values}, {{descending, false}}, 300);
        expect_sorted_keys({values, tails}, {{descending, false}, {true, false}}, 300);
      }
    }
  }
}

TEST(RowSort, PutsWhatIsWantedInItsPlace) {
  std::mt19937 random(4);
  const auto numbers = random::values(TypeId::kInt64, 40'000, 30'000, 0.1, random);
  const auto strings = random::values(TypeId::kVarchar, 40'000, 3'000, 0.1, random);
  for (const auto& [first, last] : std::vector<std::pair<size_t, size_t>>{
           {0, 0}, {0, 1}, {0, 10}, {39'999, 40'000}, {20'000, 20'010}, {100, 25'000}, {40'000, 40'000}}) {
    expect_sorted_keys({numbers}, {{}}, 7'000, first, last);
    expect_sorted_keys({strings}, {{}}, 7'000, first, last);
    expect_sorted_keys({strings, numbers}, {{true, true}, {false, true}}, 7'000, first, last);
  }
}

TEST(RowSort, SortsManyInParallel) {
  std::mt19937 random(5);
  expect_sorted_keys({texts(test_size(70'000, 200'000),
                            [&] { return "common/prefix/" + std::to_string(random() % 50'000) + "/tail"; })},
                     {{}}, 60'000);
  const size_t rows = test_size(30'000, 300'000);
  for (const uint32_t distinct : {1, 3, 1'000}) {
    expect_sorted_keys({random::values(TypeId::kInt64, rows, distinct, 0.1, random),
                        random::values(TypeId::kVarchar, rows, distinct, 0.2, random),
                        random::values(TypeId::kInt128, rows, 1'000'000, 0.2, random)},
                       {{}, {true, true}, {}}, rows / 3);
  }
}

TEST(RowSort, StopsWhenCancelled) {
  std::mt19937 random(6);
  const ColumnPtr column =
      make_column(TypeId::kInt64, random::values(TypeId::kInt64, 50'000, 50'000, 0, random));
  std::vector<KeyRow> rows(50'000), scratch(50'000);
  for (size_t i = 0; i < rows.size(); ++i) rows[i].row = i;
  Cancellation cancellation;
  cancellation.cancel();
  const std::vector<RowKey> keys = {{TypeId::kInt64, {}, {column.get()}}};
  EXPECT_THROW(sort_rows(rows, scratch.data(), keys, rows, &cancellation), CancelledError);
}

}  // namespace
}  // namespace lanewise
