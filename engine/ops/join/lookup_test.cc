#include "ops/join/lookup.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <optional>
#include <random>
#include <ranges>

#include "base/testing/test_size.h"
#include "ops/take.h"
#include "primitives/parallel.h"

namespace lanewise::ops::lookups {  // names used only here, for unity builds
namespace {

using Row = std::vector<std::optional<int64_t>>;  // a key each

/// Rows of `keys` integers each, from `values` on.
struct Made {
  std::vector<Row> rows;
  std::vector<ColumnPtr> columns;
};

template <class Value>
Made make(size_t rows, const std::vector<Type>& types, double nulls, std::mt19937& random, Value value) {
  Made made;
  std::vector<ColumnBuilder> builders;
  for (const Type type : types) builders.emplace_back(type);
  for (size_t row = 0; row < rows; ++row) {
    Row& keys = made.rows.emplace_back();
    for (size_t k = 0; k < types.size(); ++k) {
      if (std::bernoulli_distribution(nulls)(random)) {
        builders[k].append_null();
        keys.emplace_back();
        continue;
      }
      keys.push_back(value(row, k));
      if (types[k].physical() == Physical::kInt32) {
        builders[k].append_physical(static_cast<int32_t>(*keys.back()));
      } else {
        builders[k].append_physical(*keys.back());
      }
    }
  }
  for (ColumnBuilder& builder : builders) made.columns.push_back(builder.finish());
  return made;
}

constexpr LookupForm kForms[] = {LookupForm::automatic, LookupForm::hash, LookupForm::bytes,
                                 LookupForm::direct, LookupForm::bitmap};

/// Looks all rows of `probes` up among those of `builds`, by each form if rows are few, and compares with a
/// map. `name` begins the name of the lookup that is not forced.
void expect_like_map(const Made& builds, const Made& probes, bool null_is_key, bool existence,
                     std::string_view name) {
  const auto has_null = [](const Row& row) {
    return !std::ranges::all_of(row, [](const auto& key) { return key.has_value(); });
  };
  std::map<Row, std::vector<uint32_t>> expected;
  for (uint32_t row = 0; row < builds.rows.size(); ++row) {
    if (null_is_key || !has_null(builds.rows[row])) expected[builds.rows[row]].push_back(row);
  }
  std::vector<bool> finds_nulls;
  for (const ColumnPtr& key : builds.columns) finds_nulls.push_back(null_is_key && key->nulls != 0);
  for (const LookupForm forced : kForms) {
    if (forced != LookupForm::automatic && builds.rows.size() > 100) break;
    const auto lookup = with_threads(3, [&] {
      return make_lookup(builds.columns, finds_nulls, builds.rows.size(), existence, forced, nullptr);
    });
    if (forced == LookupForm::automatic) {
      ASSERT_TRUE(lookup->name().starts_with(name)) << lookup->name();
    } else {
      ASSERT_EQ(lookup->choice().reason.impossible, lookup->choice().form != forced) << lookup->describe();
    }
    constexpr uint32_t kChunk = 500;
    for (uint32_t first = 0; first < probes.rows.size(); first += kChunk) {
      const uint32_t count = std::min(kChunk, static_cast<uint32_t>(probes.rows.size()) - first);
      Arena arena;
      std::vector<Vector> keys;
      for (const ColumnPtr& key : probes.columns) keys.push_back(slice(*key, first, count, arena));
      ActiveSet rows(count, arena);
      std::vector<uint64_t> wanted(bits::words(count));
      for (uint32_t i = 0; i < count; ++i) {  // what a probe leaves out before
        const bool is_null = std::ranges::any_of(std::views::iota(size_t{0}, keys.size()), [&](size_t k) {
          return !finds_nulls[k] && !probes.rows[first + i][k];
        });
        if (!is_null && i % 7 != 3) bits::set(wanted.data(), i);
      }
      rows.narrow(wanted.data());
      std::vector<uint32_t> begin(count), size(count);
      lookup->find(keys, rows, {begin.data(), size.data()});
      if (lookup->unique()) {
        std::vector<uint32_t> matches(count);
        lookup->find_rows(keys, rows, matches.data());
        rows.for_each([&](uint32_t i) {
          ASSERT_EQ(matches[i] != kNoRow, size[i] != 0) << "row " << first + i;
          ASSERT_TRUE(existence || size[i] == 0 || matches[i] == begin[i]) << "row " << first + i;
        });
      }
      rows.for_each([&](uint32_t i) {
        const auto found = expected.find(probes.rows[first + i]);
        const size_t matches = found == expected.end() ? 0 : existence ? 1 : found->second.size();
        ASSERT_EQ(size[i], matches) << "row " << first + i;
        for (uint32_t m = 0; m < matches && !existence; ++m)
          ASSERT_EQ(lookup->row(begin[i] + m), found->second[m]) << "row " << first + i;
      });
    }
  }
}

class Lookups : public testing::TestWithParam<bool> {  // whether only existence matters
 protected:
  std::mt19937 random{5};
  int64_t below(int64_t end) { return static_cast<int64_t>(random() % static_cast<uint64_t>(end)); }
};

TEST_P(Lookups, OneKey) {
  const size_t many = test_size(40'000, 300'000);
  for (const size_t rows : {size_t{1}, size_t{2}, size_t{63}, size_t{64}, size_t{65}, many}) {
    SCOPED_TRACE(rows);
    const auto size = static_cast<int64_t>(rows);
    for (const Type type : {Type(TypeId::kInt32), Type(TypeId::kInt64)}) {
      for (const double nulls : {0.0, 0.2}) {
        const auto check = [&](int64_t least, int64_t end, std::string_view name) {
          const auto value = [&](size_t, size_t) { return least + below(end); };
          const Made builds = make(rows, {type}, nulls, random, value);
          expect_like_map(builds, make(1000, {type}, nulls, random, value), false, GetParam(), name);
          expect_like_map(builds, make(1000, {type}, nulls, random, value), true, GetParam(), "");
        };
        const std::string_view by_number = GetParam() ? "bitmap of" : "array by";
        check(-7, size, nulls == 0 ? by_number : "");
        check(1000, std::max<int64_t>(size / 9, 1), nulls == 0 ? by_number : "");
        check(-size * 50, size * 10'000, "");
      }
      const auto in_order = [&](size_t row, size_t) { return static_cast<int64_t>(row / 3) - 4; };
      expect_like_map(make(rows, {type}, 0, random, in_order), make(1000, {type}, 0, random, in_order), false,
                      GetParam(), GetParam() ? "bitmap of" : "array by");
    }
  }
}

/// Few numbers of many rows, and more numbers than a part has.
TEST_P(Lookups, ManyRows) {
  const size_t rows = test_size(70'000, 1'500'000);
  for (const int64_t numbers : {int64_t{3}, int64_t{1000}, static_cast<int64_t>(rows)}) {
    const auto value = [&](size_t, size_t) { return below(numbers); };
    expect_like_map(make(rows, {TypeId::kInt64}, 0, random, value),
                    make(700, {TypeId::kInt64}, 0, random, value), false, GetParam(),
                    GetParam() ? "bitmap of" : "array by");
  }
}

TEST(Lookup, SaysWhy) {
  std::mt19937 random{7};
  const auto said = [&](std::vector<Type> types, int64_t step, bool existence, LookupForm forced) {
    const auto value = [&](size_t row, size_t) { return static_cast<int64_t>(row) * step; };
    const Made made = make(300, types, 0, random, value);
    return make_lookup(made.columns, std::vector<bool>(types.size()), 300, existence, forced, nullptr)
        ->describe();
  };
  using enum LookupForm;
  const Type word = TypeId::kInt64;
  EXPECT_EQ(said({word}, 2, false, automatic), "array by 599 numbers, 2.3 KiB: their range is narrow");
  EXPECT_EQ(said({word}, 2, true, automatic),
            "bitmap of 599 numbers, 80 B: the join needs only whether a key is there");
  EXPECT_EQ(said({word}, 10'000'000, false, automatic),
            "hash table of 512 slots, 32-bit keys, 4.5 KiB: their range of 2990000001 numbers is too wide");
  EXPECT_EQ(said({word}, 2, false, hash), "hash table of 512 slots, 32-bit keys, 4.5 KiB: forced");
  EXPECT_EQ(said({word}, 2, true, direct), "array by 599 numbers, 2.3 KiB: forced");
  EXPECT_EQ(said({word}, 2, false, bitmap),
            "array by 599 numbers, 2.3 KiB: the forced lookup is not possible, and their range is narrow");
  EXPECT_EQ(
      said({word, word}, INT64_MAX / 300, false, hash),
      "hash table of 640 slots, keys as bytes, 13.2 KiB: the forced lookup is not possible, and they do "
      "not fit in 64 bits");
}

/// Values by row; `first` is that of row 0.
template <class T>
ColumnPtr values_from(Type type, size_t rows, T first) {
  ColumnBuilder builder(type);
  for (size_t row = 0; row < rows; ++row)
    builder.append_physical(static_cast<T>(first + static_cast<T>(row)));
  return builder.finish();
}

TEST(Lookup, HoldsValuesInsteadOfRows) {
  constexpr size_t kRows = 100'000;
  std::mt19937 random{7};
  const auto key = [](size_t row, size_t) { return static_cast<int64_t>(row) * 40'000 - 2'000'000'000; };
  const auto check = [&](Type key_type, const ColumnPtr& values, auto first, bool holds) {
    using T = decltype(first);
    const Made made = make(kRows, {key_type}, 0, random, key);
    const auto lookup = make_lookup(made.columns, {false}, kRows, false, LookupForm::automatic, nullptr);
    ASSERT_TRUE(lookup->unique());
    lookup->hold(*values);
    ASSERT_EQ(lookup->holds_values(), holds) << lookup->describe();
    Arena arena;
    constexpr uint32_t kFirst = 70'000, kCount = 1000;
    const Vector keys = slice(*made.columns[0], kFirst, kCount, arena);
    std::vector<uint32_t> matches(kCount);
    lookup->find_rows({&keys, 1}, ActiveSet(kCount, arena), matches.data());
    for (uint32_t i = 0; i < kCount; ++i) {
      T value = 0;
      std::memcpy(&value, &matches[i], std::min(sizeof(T), sizeof(matches[i])));  // wider ones are not held
      const T wanted = static_cast<T>(first + static_cast<T>(kFirst + i));
      ASSERT_TRUE(holds ? value == wanted : matches[i] == kFirst + i) << i;
    }
  };
  for (const Type type : {Type(TypeId::kInt32), Type(TypeId::kInt64)}) {
    check(type, values_from<int32_t>(TypeId::kInt32, kRows, 5), int32_t{5}, true);
    check(type, values_from<int16_t>(TypeId::kInt16, kRows, -7), int16_t{-7}, true);
    check(type, values_from<uint8_t>(TypeId::kUInt8, kRows, 1), uint8_t{1}, true);
    // One value looks like no row.
    check(type, values_from<int32_t>(TypeId::kInt32, kRows, -80'000), int32_t{-80'000}, false);
    check(type, values_from<int64_t>(TypeId::kInt64, kRows, 0), int64_t{0}, false);
  }
}

TEST(Lookup, KeepsToTheBudget) {
  std::mt19937 random{6};
  const auto value = [&](size_t row, size_t) { return static_cast<int64_t>(row % 5000); };
  const Made made = make(100'000, {TypeId::kInt64, TypeId::kInt32}, 0, random, value);
  MemoryBudget budget(size_t{1} << 18);
  EXPECT_THROW(with_threads(3,
                            [&] {
                              return make_lookup(made.columns, {false, false}, 100'000, false,
                                                 LookupForm::automatic, &budget);
                            }),
               MemoryError);
  EXPECT_EQ(budget.used(), 0U);
}

TEST_P(Lookups, SeveralKeys) {
  const std::vector<Type> two = {TypeId::kInt64, TypeId::kInt32},
                          three = {TypeId::kInt64, TypeId::kInt64, TypeId::kInt32};
  const size_t many = test_size(20'000, 100'000);
  for (const size_t rows : {size_t{1}, size_t{64}, size_t{65}, many}) {
    SCOPED_TRACE(rows);
    for (const double nulls : {0.0, 0.2}) {
      for (const bool null_is_key : {false, true}) {
        for (const auto& types : {two, three}) {
          const auto few = [&](size_t, size_t k) { return k == 0 ? below(300) - 5 : below(7) * 1'000'000; };
          const bool packs = types.size() == 2 && rows == many && nulls == 0;  // a word of 9 + 23 bits
          expect_like_map(make(rows, types, nulls, random, few), make(1000, types, nulls, random, few),
                          null_is_key, GetParam(), packs ? "packed in a word, hash table of" : "");
          // The values of probes exceed those of the build side in both directions.
          const auto more = [&](size_t, size_t k) { return k == 0 ? below(600) - 200 : below(9) * 500'000; };
          expect_like_map(make(rows, types, nulls, random, few), make(1000, types, nulls, random, more),
                          null_is_key, GetParam(), "");
          const auto wide = [&](size_t row, size_t k) {  // too wide for a word
            const int64_t ends[] = {INT64_MIN, INT64_MAX, 0, 1};
            return k == 0 ? ends[row % 4] : k == 1 ? below(4) : below(3);
          };
          expect_like_map(make(rows, types, nulls, random, wide), make(1000, types, nulls, random, wide),
                          null_is_key, GetParam(), "");
        }
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Existence, Lookups, testing::Bool());

}  // namespace
}  // namespace lanewise::ops::lookups
