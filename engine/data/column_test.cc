#include "data/column.h"

#include <gtest/gtest.h>

#include "data/vector.h"

namespace lanewise {
namespace {

std::vector<Value> sample(Type type, int64_t rows) {
  std::vector<Value> values;
  for (int64_t row = 0; row < rows; ++row) {
    if (row % 7 == 3) {
      values.emplace_back(type);
      continue;
    }
    switch (type.physical()) {
      case Physical::kString:
        values.push_back({type, row % 5 == 0 ? std::string() : std::string("ä\0z", 4) + std::to_string(row)});
        break;
      case Physical::kFloat32:
      case Physical::kFloat64:
        values.push_back({type, static_cast<double>(row) / 2});
        break;
      case Physical::kInterval:
        values.push_back({type, Interval{static_cast<int32_t>(row), -1, row * row}});
        break;
      case Physical::kBool:
        values.push_back({type, int128_t{row % 2}});
        break;
      default:
        if (type.is_unsigned_integer()) {
          values.push_back({type, static_cast<uint128_t>(row % 100)});
        } else {
          values.push_back({type, int128_t{row % 100 - 50}});
        }
    }
  }
  return values;
}

const Type kColumnTypes[] = {TypeId::kBool,    TypeId::kInt8,       TypeId::kInt16,       TypeId::kInt32,
                             TypeId::kInt64,   TypeId::kInt128,     TypeId::kUInt8,       TypeId::kUInt16,
                             TypeId::kUInt32,  TypeId::kUInt64,     TypeId::kUInt128,     TypeId::kFloat32,
                             TypeId::kFloat64, Type::decimal(9, 2), Type::decimal(30, 5), TypeId::kDate,
                             TypeId::kTime,    TypeId::kTimestamp,  TypeId::kInterval,    TypeId::kVarchar,
                             TypeId::kBlob};

TEST(Column, ReturnsWhatWasPut) {
  for (const Type type : kColumnTypes) {
    for (const int64_t rows : {0, 1, 31, 32, 33, 63, 64, 65, 1000}) {
      const auto values = sample(type, rows);
      const ColumnPtr column = make_column(type, values);
      ASSERT_EQ(column->rows, rows);
      int64_t nulls = 0;
      for (int64_t row = 0; row < rows; ++row) {
        EXPECT_EQ(column->value(row), values[static_cast<size_t>(row)]) << type.name() << " row " << row;
        nulls += column->is_null(row);
      }
      EXPECT_EQ(column->nulls, nulls);
    }
  }
}

TEST(Column, SlicesStartAnywhere) {
  Arena arena;
  for (const Type type : kColumnTypes) {
    const auto values = sample(type, 300);
    const ColumnPtr column = make_column(type, values);
    for (const uint32_t first : {0u, 1u, 63u, 64u, 65u, 200u}) {
      const Vector vector = slice(*column, first, 100, arena);
      for (uint32_t row = 0; row < 100; ++row) {
        EXPECT_EQ(value_at(vector, row), values[first + row]) << type.name() << " " << first << " + " << row;
      }
    }
    arena.reset();
  }
}

TEST(Column, ConstantsStandForAllRows) {
  Arena arena;
  for (const Type type : kColumnTypes) {
    for (const Value& value : sample(type, 5)) {
      const Vector vector = constant(value, arena);
      EXPECT_EQ(value_at(vector, 0), value);
      EXPECT_EQ(value_at(vector, 77), value);
    }
  }
}

TEST(Table, FindsRowsAcrossBatches) {
  Table table;
  table.schema = {{"x", TypeId::kInt64}};
  for (int64_t start : {0, 10, 20}) {
    std::vector<Value> values;
    for (int64_t i = 0; i < 10; ++i) values.push_back(Value::int64(start + i));
    table.batches.push_back({10, {make_column(TypeId::kInt64, values)}});
  }
  EXPECT_EQ(table.rows(), 30);
  for (int64_t row = 0; row < 30; ++row) EXPECT_EQ(table.value(row, 0), Value::int64(row));
}

}  // namespace
}  // namespace lanewise
