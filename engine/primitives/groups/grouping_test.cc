#include "primitives/groups/grouping.h"

#include <gtest/gtest.h>

#include <ctime>
#include <numeric>
#include <random>

#include "data/packed.h"
#include "primitives/testing/random_column.h"

namespace lanewise {
namespace {

using Row = std::vector<Value>;

/// The simplest grouping: each row is compared with all groups so far.
struct Reference {
  std::vector<Row> groups;
  uint32_t find_or_add(const Row& row) {
    for (uint32_t group = 0; group < groups.size(); ++group) {
      if (groups[group] == row) return group;
    }
    groups.push_back(row);
    return static_cast<uint32_t>(groups.size() - 1);
  }
};

struct Input {
  std::vector<ColumnPtr> columns;
  int64_t rows = 0;
  Row row(int64_t at) const {
    Row result;
    for (const ColumnPtr& column : columns) result.push_back(column->value(at));
    return result;
  }
};

Input make_input(const std::vector<Type>& types, int64_t rows, uint32_t distinct, double nulls,
                 bool dictionary, std::mt19937& random) {
  Input input;
  input.rows = rows;
  for (const Type type : types) {
    ColumnPtr column =
        make_column(type, random::values(type, static_cast<size_t>(rows), distinct, nulls, random));
    input.columns.push_back(dictionary ? random::dictionary_of(*column) : column);
  }
  return input;
}

/// Groups `input` in chunks; rows where row % skip == 1 are not active (skip 0: all are).
std::vector<uint32_t> group(Grouping& grouping, const Input& input, uint32_t chunk, uint32_t skip) {
  std::vector<uint32_t> result(static_cast<size_t>(input.rows), HashTable::kNone);
  Arena arena;
  for (int64_t first = 0; first < input.rows; first += chunk) {
    arena.reset();
    const auto count = static_cast<uint32_t>(std::min<int64_t>(chunk, input.rows - first));
    ActiveSet rows(count, arena);
    if (skip != 0) {
      auto* drop = arena.allocate<uint64_t>(bits::words(count));
      std::fill_n(drop, bits::words(count), 0);
      for (uint32_t row = 0; row < count; ++row) {
        if (row % skip == 1) bits::set(drop, row);
      }
      rows.remove(drop);
    }
    std::vector<Vector> keys;
    for (const ColumnPtr& column : input.columns) keys.push_back(slice(*column, first, count, arena));
    std::vector<uint32_t> groups(count);
    grouping.find_or_add(keys, rows, groups.data());
    rows.for_each([&](uint32_t row) { result[static_cast<size_t>(first) + row] = groups[row]; });
  }
  return result;
}

void expect_groups(const Grouping& grouping, const std::vector<Row>& groups) {
  ASSERT_EQ(grouping.size(), groups.size());
  for (size_t key = 0; key < (groups.empty() ? 0 : groups[0].size()); ++key) {
    for (const uint32_t first : {0u, grouping.size() / 3}) {
      std::vector<uint32_t> all(grouping.size() - first);
      std::iota(all.begin(), all.end(), first);
      const ColumnPtr column = grouping.column(key, all);
      ASSERT_EQ(column->rows, grouping.size() - first);
      for (uint32_t group = first; group < grouping.size(); ++group) {
        const Value value = column->value(group - first);
        ASSERT_EQ(value, groups[group][key]) << "group " << group;
        if (!key_is_lossy(value.type())) continue;
        ASSERT_EQ(value.to_string(), groups[group][key].to_string())
            << "the first value is kept, group " << group;
      }
    }
  }
}

void expect_like_reference(const std::vector<Type>& types, const Input& input, uint32_t chunk,
                           uint32_t skip) {
  Grouping grouping(types, nullptr, "GROUP BY");
  const std::vector<uint32_t> groups = group(grouping, input, chunk, skip);
  Reference reference;
  std::vector<uint32_t> mine;  // rows may be numbered in any order
  for (int64_t row = 0; row < input.rows; ++row) {
    const uint32_t found = groups[static_cast<size_t>(row)];
    if (found == HashTable::kNone) continue;
    const uint32_t expected = reference.find_or_add(input.row(row));
    if (expected == mine.size()) mine.push_back(found);
    ASSERT_EQ(found, mine[expected]) << "row " << row;
  }
  std::vector<Row> by_group(mine.size());
  for (size_t i = 0; i < mine.size(); ++i) by_group[mine[i]] = reference.groups[i];
  expect_groups(grouping, by_group);
}

TEST(Grouping, EveryTypeNumbersAsTheReference) {
  std::mt19937 random(7);
  for (const Type type : random::all_types()) {
    SCOPED_TRACE(type.name());
    for (const int64_t rows : {0, 1, 31, 32, 33, 63, 64, 65, 700}) {
      for (const double nulls : {0.0, 0.2, 1.0}) {
        for (const bool dictionary : {false, true}) {
          const Input input = make_input({type}, rows, 60, nulls, dictionary, random);
          expect_like_reference({type}, input, 128, 0);
          expect_like_reference({type}, input, 50, 3);
          expect_like_reference({type}, input, 100, 2);
        }
      }
    }
  }
}

TEST(Grouping, PairsOfTypesNumberAsTheReference) {
  std::mt19937 random(8);
  for (const Type first : random::all_types()) {
    for (const Type second :
         {Type(TypeId::kVarchar), Type(TypeId::kInt64), Type(TypeId::kBool), Type(TypeId::kFloat64)}) {
      SCOPED_TRACE(first.name() + " " + second.name());
      for (const double nulls : {0.0, 0.3}) {
        expect_like_reference({first, second}, make_input({first, second}, 300, 12, nulls, false, random), 64,
                              0);
        expect_like_reference({second, first}, make_input({second, first}, 300, 12, nulls, true, random), 64,
                              3);
      }
    }
  }
}

TEST(Grouping, ManyColumnsNumberAsTheReference) {
  std::mt19937 random(9);
  std::vector<Type> types;
  for (size_t i = 0; i < 70; ++i) types.push_back(random::all_types()[i % random::all_types().size()]);
  expect_like_reference(types, make_input(types, 200, 2, 0.01, false, random), 64, 0);
}

TEST(Grouping, ConstantsAreKeysLikeOthers) {
  Arena arena;
  for (const Type type : random::all_types()) {
    for (const Value& value : {random::value(type, 6), Value(type)}) {
      Grouping grouping({type, TypeId::kInt64}, nullptr, "GROUP BY");
      const ActiveSet rows(100, arena);
      const ColumnPtr numbers = make_column(TypeId::kInt64, std::vector<Value>(100, Value::int64(5)));
      const Vector keys[] = {constant(value, arena), slice(*numbers, 0, 100, arena)};
      std::vector<uint32_t> groups(100);
      grouping.find_or_add(keys, rows, groups.data());
      EXPECT_EQ(groups, std::vector<uint32_t>(100, 0));
      expect_groups(grouping, {{value, Value::int64(5)}});
    }
  }
}

TEST(Grouping, EqualNestedValuesAreOneKeyThatKeepsItsFirstValue) {
  const Type type = Type::list(TypeId::kFloat64);
  const auto list = [&](double x) { return packed::pack(type, {Value::float64(x)}); };
  const std::vector<Value> values = {list(1), list(-0.0), list(0.0), Value(type), list(-0.0), list(1)};
  const ColumnPtr lists = make_column(type, values);
  const ColumnPtr texts = make_column(TypeId::kVarchar, std::vector<Value>(6, Value::varchar("a")));
  for (const bool several : {false, true}) {
    for (const bool dictionary : {false, true}) {
      std::vector<Type> types = {type};
      Input input{{dictionary ? random::dictionary_of(*lists) : lists}, 6};
      if (several) {
        types.emplace_back(TypeId::kVarchar);
        input.columns.push_back(texts);
      }
      Grouping grouping(types, nullptr, "GROUP BY");
      const std::vector<uint32_t> groups = group(grouping, input, 6, 0);
      ASSERT_EQ(grouping.size(), 3);
      EXPECT_EQ(groups[1], groups[2]);
      EXPECT_EQ(groups[1], groups[4]);
      EXPECT_EQ(groups[0], groups[5]);
      const uint32_t zero[] = {groups[1]};
      EXPECT_EQ(grouping.column(0, zero)->value(0).to_string(), "[-0.0]");

      const auto taken = grouping.take();
      std::vector<uint32_t> from, to(3);
      const Partitions arranged = taken->arrange(2, &from);
      Grouping merged(types, nullptr, "GROUP BY");
      const Grouping::Part part{taken.get(), arranged.groups, arranged.in_order};
      merged.absorb({&part, 1}, to.data());
      std::string shown;
      for (uint32_t i = 0; i < 3; ++i) {
        const uint32_t at[] = {i};
        shown += merged.column(0, at)->value(0).to_string();
      }
      EXPECT_EQ(merged.size(), 3);
      EXPECT_NE(shown.find("[-0.0]"), std::string::npos) << shown;
    }
  }
}

TEST(Grouping, AbsorbsWhatOthersFound) {
  std::mt19937 random(10);
  const std::vector<std::vector<Type>> shapes = {{TypeId::kInt64},
                                                 {TypeId::kFloat64},
                                                 {TypeId::kVarchar},
                                                 {TypeId::kVarchar, TypeId::kInterval, TypeId::kInt8}};
  for (const auto& types : shapes) {
    for (const double nulls : {0.0, 0.1}) {
      const Input input = make_input(types, 2000, 500, nulls, false, random);
      Grouping all(types, nullptr, "GROUP BY");
      const std::vector<uint32_t> expected = group(all, input, 200, 0);
      Grouping other(types, nullptr, "GROUP BY");
      const std::vector<uint32_t> theirs = group(other, input, 300, 0);
      Grouping merged(types, nullptr, "GROUP BY");
      const Input head = make_input(types, 700, 100, nulls, false, random);
      group(merged, head, 700, 0);
      const uint32_t before = merged.size();
      std::vector<uint32_t> from(other.size());
      for (uint32_t i = 0; i < from.size(); ++i) from[i] = other.size() - 1 - i;
      std::vector<uint32_t> to(from.size());
      const std::span<const uint32_t> keys(from);
      const std::vector<Grouping::Part> parts = {
          {&other, keys.first(keys.size() / 3)}, {&other, {}}, {&other, keys.subspan(keys.size() / 3)}};
      merged.absorb(parts, to.data());
      for (size_t i = 0; i < from.size(); ++i) {
        const uint32_t mine[] = {to[i]};
        const uint32_t its[] = {from[i]};
        for (size_t key = 0; key < types.size(); ++key) {
          ASSERT_EQ(merged.column(key, mine)->value(0), other.column(key, its)->value(0));
        }
        ASSERT_EQ(merged.tags()[to[i]], other.tags()[from[i]]);
      }
      std::vector<uint32_t> again(from.size());
      const uint32_t after = merged.size();
      merged.absorb(parts, again.data());
      EXPECT_EQ(again, to);
      EXPECT_EQ(merged.size(), after);
      EXPECT_GE(after, before);
      EXPECT_EQ(all.size(), other.size());
    }
  }
}

TEST(Grouping, SmallRangesThatGrowStayRight) {
  // The window of direct addressing moves up, down, past its largest size and past the ends of 64 bits.
  for (const int64_t step : {int64_t{1}, int64_t{-1}, int64_t{1000}, int64_t{-70000}, INT64_MAX / 3}) {
    for (const int64_t start : {int64_t{0}, INT64_MAX - 5, INT64_MIN + 5}) {
      for (const double nulls : {0.0, 0.1}) {
        std::vector<Value> values;
        std::mt19937 random(11);
        for (int64_t chunk = 0; chunk < 20; ++chunk) {
          for (int64_t i = 0; i < 100; ++i) {
            const uint64_t at = static_cast<uint64_t>(start) +
                                static_cast<uint64_t>(chunk) * static_cast<uint64_t>(step) +
                                static_cast<uint64_t>(i % 10);
            values.push_back(random() % 100 < nulls * 100 ? Value(TypeId::kInt64)
                                                          : Value::int64(static_cast<int64_t>(at)));
          }
        }
        const ColumnPtr column = make_column(TypeId::kInt64, values);
        Input input;
        input.rows = column->rows;
        input.columns = {column};
        expect_like_reference({TypeId::kInt64}, input, 100, 0);
        input.columns = {column, column};
        expect_like_reference({TypeId::kInt64, TypeId::kInt64}, input, 100, 0);
      }
    }
  }
}

TEST(Grouping, OutliersDoNotEndDirectAddressing) {
  std::vector<Value> values;
  for (int64_t i = 0; i < 3000; ++i)
    values.push_back(Value::int64(i % 50 == 49 && i > 500 ? i << 40 : i % 20));
  expect_like_reference({TypeId::kInt64}, {{make_column(TypeId::kInt64, values)}, 3000}, 100, 0);
}

TEST(Grouping, DictionariesThatChangeAreTold) {
  // Both have the same size, and the first is freed before the next is made, so that it may have the same
  // address.
  for (const size_t keys : {1, 2}) {
    Grouping grouping(std::vector<Type>(keys, TypeId::kVarchar), nullptr, "GROUP BY");
    Reference reference;
    for (int dictionary = 0; dictionary < 20; ++dictionary) {
      std::vector<Value> values;
      for (int i = 0; i < 300; ++i)
        values.push_back(Value::varchar(std::to_string((i + dictionary) % 13 + dictionary % 3 * 10)));
      const ColumnPtr column = random::dictionary_of(*make_column(TypeId::kVarchar, values));
      const Input input{std::vector<ColumnPtr>(keys, column), column->rows};
      const std::vector<uint32_t> groups = group(grouping, input, 100, 0);
      for (int64_t row = 0; row < input.rows; ++row) {
        ASSERT_EQ(groups[static_cast<size_t>(row)], reference.find_or_add(input.row(row)))
            << dictionary << ", " << row;
      }
    }
  }
}

TEST(Grouping, PartitionsByTag) {
  std::mt19937 random(12);
  Grouping grouping({TypeId::kVarchar}, nullptr, "GROUP BY");
  group(grouping, make_input({TypeId::kVarchar}, 3000, 2000, 0.1, false, random), 500, 0);
  for (const int bits : {0, 1, 5}) {
    const Partitions parts = partition(grouping.tags(), bits);
    ASSERT_EQ(parts.starts.size(), (size_t{1} << bits) + 1);
    EXPECT_EQ(parts.starts.back(), grouping.size());
    std::vector<bool> seen(grouping.size());
    for (size_t p = 0; p + 1 < parts.starts.size(); ++p) {
      for (uint32_t i = parts.starts[p]; i < parts.starts[p + 1]; ++i) {
        const uint32_t group = parts.groups[i];
        EXPECT_FALSE(seen[group]);
        seen[group] = true;
        EXPECT_EQ(grouping.tags()[group] % (1u << bits), p);
      }
    }
  }
}

TEST(Grouping, PartitionsDoNotCrowdTheirTables) {
  constexpr uint32_t kKeys = 300'000;
  std::vector<Value> values;
  for (uint32_t i = 0; i < kKeys; ++i) values.push_back(Value::int64(static_cast<int64_t>(i) << 32));
  Grouping grouping({TypeId::kInt64}, nullptr, "GROUP BY");
  const std::clock_t start = std::clock();
  group(grouping, {{make_column(TypeId::kInt64, values)}, kKeys}, 1000, 0);
  const std::clock_t grouped = std::clock();
  const Partitions parts = partition(grouping.tags(), 3);
  for (size_t p = 0; p + 1 < parts.starts.size(); ++p) {
    Grouping merged({TypeId::kInt64}, nullptr, "GROUP BY");
    const std::span<const uint32_t> from(parts.groups.data() + parts.starts[p],
                                         parts.starts[p + 1] - parts.starts[p]);
    std::vector<uint32_t> to(from.size());
    const Grouping::Part part{&grouping, from};
    merged.absorb({&part, 1}, to.data());
    ASSERT_EQ(merged.size(), from.size());
  }
  // If slots and partitions used the same bits of the hash, this would take a hundred times as long.
  EXPECT_LT(std::clock() - grouped, 10 * (grouped - start) + CLOCKS_PER_SEC / 10);
}

TEST(Grouping, ArrangedKeysStayTheSame) {
  std::mt19937 random(14);
  const std::vector<std::vector<Type>> shapes = {
      {TypeId::kVarchar}, {TypeId::kVarchar, TypeId::kInterval, TypeId::kInt8}, {TypeId::kInt64}};
  for (const auto& types : shapes) {
    for (const double nulls : {0.0, 0.1}) {
      const Input input = make_input(types, 2000, 500, nulls, false, random);
      Grouping before(types, nullptr, "GROUP BY"), grouping(types, nullptr, "GROUP BY");
      group(before, input, 200, 0);
      group(grouping, input, 200, 0);
      const std::unique_ptr<Grouping> arranged = grouping.take();
      std::vector<uint32_t> from;
      const Partitions parts = arranged->arrange(3, &from);
      ASSERT_TRUE(parts.in_order);
      ASSERT_EQ(from.size(), before.size());
      for (size_t key = 0; key < types.size(); ++key) {
        const ColumnPtr expected = before.column(key, from), found = arranged->column(key, parts.groups);
        for (size_t i = 0; i < from.size(); ++i)
          ASSERT_EQ(found->value(static_cast<int64_t>(i)), expected->value(static_cast<int64_t>(i)));
      }
    }
  }
}

TEST(Grouping, NamesTheOperatorWhenTheBudgetIsSpent) {
  std::mt19937 random(13);
  const Input input = make_input({TypeId::kVarchar}, 50000, 50000, 0, false, random);
  MemoryBudget budget(size_t{1} << 20);
  Grouping grouping({TypeId::kVarchar}, &budget, "GROUP BY");
  try {
    group(grouping, input, 1000, 0);
    FAIL() << "1 MiB was enough";
  } catch (const MemoryError& error) {
    EXPECT_NE(std::string(error.what()).find("GROUP BY"), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace lanewise
