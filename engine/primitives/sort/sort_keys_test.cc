#include "primitives/sort/sort_keys.h"

#include <gtest/gtest.h>

#include <numeric>

#include "primitives/testing/random_column.h"

namespace lanewise {
namespace {

/// Negative, 0 or positive, as ORDER BY orders two values.
int compare_keys(const Value& a, const Value& b, const SortDirection& direction) {
  if (a.is_null() || b.is_null()) {
    const int order = static_cast<int>(b.is_null()) - static_cast<int>(a.is_null());
    return direction.nulls_first ? order : -order;
  }
  const int order = compare(a, b);
  return direction.descending ? -order : order;
}

void expect_order(const std::vector<Type>& types, const std::vector<SortDirection>& directions,
                  std::mt19937& random) {
  constexpr uint32_t kRows = 150;
  Arena arena;
  const ActiveSet active(kRows, arena);
  std::vector<ColumnPtr> columns;
  std::vector<Vector> vectors;
  for (const Type type : types) {
    columns.push_back(
        make_column(type, random::values(type, kRows, types.size() == 1 ? 100 : 4, 0.1, random)));
    vectors.push_back(slice(*columns.back(), 0, kRows, arena));
  }
  std::vector<KeyWords> words;
  for (const Vector& vector : vectors) words.push_back(key_words(vector, active));
  std::vector<std::string_view> keys(kRows);
  const SortKeys encoder(types, directions);
  encoder.encode(words, active.list(), arena, keys.data());
  for (uint32_t a = 0; a < kRows; ++a) {
    EXPECT_TRUE(encoder.fixed_size() == 0 || encoder.fixed_size() == keys[a].size());
    for (uint32_t b = 0; b < kRows; ++b) {
      int expected = 0;
      for (size_t k = 0; k < types.size() && expected == 0; ++k) {
        expected = compare_keys(columns[k]->value(a), columns[k]->value(b), directions[k]);
      }
      const int order = keys[a].compare(keys[b]);
      ASSERT_EQ(order < 0, expected < 0) << types[0].name() << " rows " << a << " and " << b;
      ASSERT_EQ(order > 0, expected > 0) << types[0].name() << " rows " << a << " and " << b;
    }
  }
}

TEST(SortKeys, BytesHaveTheOrderOfTheValues) {
  std::mt19937 random(3);
  for (const bool descending : {false, true}) {
    for (const bool nulls_first : {false, true}) {
      for (const Type type : random::all_types()) expect_order({type}, {{descending, nulls_first}}, random);
    }
  }
}

TEST(SortKeys, LaterKeysDecideTies) {
  std::mt19937 random(4);
  for (const Type type : random::all_types()) {
    expect_order({type, TypeId::kVarchar, TypeId::kInt32}, {{false, true}, {true, false}, {true, true}},
                 random);
    expect_order({TypeId::kVarchar, type, TypeId::kFloat64}, {{true, true}, {false, false}, {false, false}},
                 random);
  }
}

}  // namespace
}  // namespace lanewise
