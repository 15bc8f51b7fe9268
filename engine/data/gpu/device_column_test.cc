#include "data/gpu/device_column.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "gpu/testing/fake_driver.h"

/// Columns on the fake driver, whose device memory is host memory.
namespace lanewise {
namespace {

class DeviceColumnTest : public testing::Test {
 protected:
  gpu::Driver driver_{gpu::fake_library("fake")};
  gpu::Device& device_ = driver_.device(0);
  gpu::Stream stream_{device_};
  gpu::DevicePool pool_{device_};
  gpu::Staging staging_{device_, {.chunk = 4096, .threads = 1}};
  MemoryBudget budget_;

  DeviceColumn upload(Type type, const std::vector<ColumnPiece>& pieces) {
    DeviceColumn column = to_device(type, pieces, {pool_, staging_, stream_, &budget_});
    stream_.synchronize();
    return column;
  }

  template <class T>
  static const T* at(const gpu::DeviceBuffer& buffer) {
    return reinterpret_cast<const T*>(buffer.address());
  }
  static std::string text(const DeviceColumn& column, uint64_t row) {
    const auto* offsets = at<uint32_t>(column.offsets);
    return {at<char>(column.values) + offsets[row], offsets[row + 1] - offsets[row]};
  }
  static bool is_null(const DeviceColumn& column, size_t row) {
    return column.validity && !bits::test(at<uint64_t>(column.validity), row);
  }
};

Value number(int64_t i) {
  return i % 5 == 2 ? Value(TypeId::kInt32) : Value::int32(static_cast<int32_t>(i * 3));
}
std::string word(int64_t i) { return i % 4 == 0 ? "" : "wörd " + std::to_string(i); }

/// Rows [0, rows) in pieces that begin and end at arbitrary positions of their columns.
template <class F>
std::vector<ColumnPiece> pieces(Type type, int64_t rows, F value) {
  std::vector<ColumnPiece> made;
  for (int64_t at = 0; at < rows;) {
    const int64_t length = std::min<int64_t>(rows - at, 1 + at % 67), before = at % 3;
    std::vector<Value> values;
    for (int64_t i = -before; i < length + 2; ++i) values.push_back(value(at + i < 0 ? 0 : at + i));
    made.push_back({make_column(type, values), before, length});
    at += length;
  }
  return made;
}

constexpr int64_t kSizes[] = {0, 1, 31, 32, 33, 63, 64, 65, 1000};

TEST_F(DeviceColumnTest, Numbers) {
  for (const int64_t rows : kSizes) {
    const DeviceColumn column = upload(TypeId::kInt32, pieces(TypeId::kInt32, rows, number));
    ASSERT_EQ(column.rows, rows);
    for (int64_t row = 0; row < rows; ++row) {
      ASSERT_EQ(is_null(column, static_cast<size_t>(row)), number(row).is_null()) << row << " of " << rows;
      if (number(row).is_null()) continue;
      ASSERT_EQ(at<int32_t>(column.values)[row], row * 3);
    }
  }
}

TEST_F(DeviceColumnTest, Strings) {
  for (const int64_t rows : kSizes) {
    const DeviceColumn column = upload(
        TypeId::kVarchar, pieces(TypeId::kVarchar, rows, [](int64_t i) { return Value::varchar(word(i)); }));
    ASSERT_EQ(at<uint32_t>(column.offsets)[0], 0);
    EXPECT_FALSE(column.validity) << "nothing is NULL";
    uint64_t longest = 0;
    for (int64_t row = 0; row < rows; ++row) {
      ASSERT_EQ(text(column, static_cast<uint64_t>(row)), word(row));
      longest = std::max<uint64_t>(longest, word(row).size());
    }
    EXPECT_EQ(column.longest, longest);
  }
}

TEST_F(DeviceColumnTest, ComesBack) {
  const auto text = [](int64_t i) { return i % 5 == 1 ? Value(TypeId::kVarchar) : Value::varchar(word(i)); };
  const auto flag = [](int64_t i) { return Value::boolean(i % 3 == 0); };
  const auto check = [&](Type type, int64_t rows, auto value) {
    const DeviceColumn column = upload(type, pieces(type, rows, value));
    const ColumnPtr back = to_host(column, staging_, stream_, &budget_);
    ASSERT_EQ(back->rows, rows);
    int64_t nulls = 0;
    for (int64_t row = 0; row < rows; ++row) {
      ASSERT_EQ(back->value(row), value(row)) << row << " of " << rows;
      nulls += value(row).is_null();
    }
    EXPECT_EQ(back->nulls, nulls);
    EXPECT_EQ(bool(back->validity), nulls != 0);
  };
  for (const int64_t rows : kSizes) {
    check(TypeId::kInt32, rows, number);
    check(TypeId::kVarchar, rows, text);
    check(TypeId::kBool, rows, flag);
  }
}

/// A dictionary column of three words; NULL has a code outside the dictionary.
ColumnPtr coded(const ColumnPtr& words, int64_t rows) {
  auto column = std::make_shared<Column>();
  column->type = words->type;
  column->rows = rows;
  column->dictionary = words;
  column->values = Buffer::allocate(static_cast<size_t>(rows) * 4, nullptr, "test");
  column->validity = Buffer::allocate(bits::words(static_cast<size_t>(rows)) * 8, nullptr, "test");
  bits::fill(column->validity.mutable_as<uint64_t>(), static_cast<size_t>(rows));
  for (int64_t row = 0; row < rows; ++row)
    column->values.mutable_as<uint32_t>()[row] = static_cast<uint32_t>(row % 3);
  if (rows > 5) {
    column->values.mutable_as<uint32_t>()[5] = 77;
    bits::clear(column->validity.mutable_as<uint64_t>(), 5);
    column->nulls = 1;
  }
  return column;
}

TEST_F(DeviceColumnTest, DictionariesBecomeOne) {
  const auto words = [](const char* a, const char* b, const char* c) {
    return make_column(TypeId::kVarchar, {Value::varchar(a), Value::varchar(b), Value::varchar(c)});
  };
  const ColumnPtr first = coded(words("a", "bb", ""), 40), second = coded(words("x", "bb", "yy"), 40);
  const DeviceColumn column = upload(TypeId::kVarchar, {{first, 0, 40}, {second, 2, 30}, {first, 7, 3}});
  ASSERT_NE(column.dictionary, nullptr);
  EXPECT_EQ(column.dictionary->rows, 6) << "each dictionary once";
  const auto expect = [&](size_t row, const std::string& wanted) {
    EXPECT_EQ(text(*column.dictionary, at<uint32_t>(column.values)[row]), wanted) << row;
  };
  expect(1, "bb");
  expect(39, "a");
  expect(40, "yy");
  expect(41, "x");
  expect(70, "bb");
  EXPECT_TRUE(is_null(column, 5));
  EXPECT_LT(at<uint32_t>(column.values)[5], 6) << "NULLs have codes that can be looked up";
}

TEST_F(DeviceColumnTest, OtherDictionariesBecomeValues) {
  const ColumnPtr words =
      make_column(TypeId::kVarchar, {Value::varchar("a"), Value::varchar("bb"), Value::varchar("")});
  const DeviceColumn mixed = upload(TypeId::kVarchar, {{coded(words, 9), 0, 9}, {words, 0, 3}});
  EXPECT_EQ(mixed.dictionary, nullptr);
  EXPECT_EQ(text(mixed, 4), "bb");
  EXPECT_TRUE(is_null(mixed, 5));
  EXPECT_EQ(text(mixed, 10), "bb");

  const ColumnPtr numbers = make_column(TypeId::kInt64, {Value::int64(7), Value::int64(8), Value::int64(9)});
  const DeviceColumn plain = upload(TypeId::kInt64, {{coded(numbers, 4), 0, 4}});
  EXPECT_EQ(plain.dictionary, nullptr);
  EXPECT_EQ(at<int64_t>(plain.values)[2], 9);
}

TEST_F(DeviceColumnTest, TooLittleMemoryIsAnError) {
  gpu::DevicePool small(device_, 4096);
  const ColumnPiece piece{make_column(TypeId::kVarchar, {Value::varchar(std::string(10000, 'x'))}), 0, 1};
  EXPECT_THROW(to_device(TypeId::kVarchar, {&piece, 1}, {small, staging_, stream_, &budget_}), MemoryError);
}

}  // namespace
}  // namespace lanewise
