#include "data/packed.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

namespace lanewise::packed {
namespace {

/// SQL's order for elements and fields: NULL is greater than all values.
int order(const Value& a, const Value& b) {
  if (a.is_null() || b.is_null()) return static_cast<int>(a.is_null()) - static_cast<int>(b.is_null());
  if (!a.type().is_nested()) return compare(a, b);
  const std::vector<Value> x = unpack(a), y = unpack(b);
  for (size_t i = 0; i < std::min(x.size(), y.size()); ++i) {
    if (const int difference = order(x[i], y[i])) return difference;
  }
  return x.size() < y.size() ? -1 : x.size() > y.size() ? 1 : 0;
}

class Generator {
 public:
  Type type(int depth) {
    switch (depth == 0 ? 0 : random_() % 5) {
      case 1:
        return Type::list(type(depth - 1));
      case 2:
        return Type::array(type(depth - 1), static_cast<uint32_t>(random_() % 3));
      case 3: {
        std::vector<Member> fields;
        for (size_t i = random_() % 4; i > 0; --i)
          fields.push_back({"f" + std::to_string(i), type(depth - 1)});
        return Type::structure(std::move(fields));
      }
      case 4:
        return Type::map(type(0), type(depth - 1));
      default:
        return kScalars[random_() % std::size(kScalars)];
    }
  }

  Value value(Type type) {
    if (random_() % 6 == 0) return Value(type);
    switch (type.physical()) {
      case Physical::kFloat32:
      case Physical::kFloat64:
        return {type, kReals[random_() % std::size(kReals)]};
      case Physical::kInterval:
        return {type,
                Interval{static_cast<int32_t>(random_() % 3), static_cast<int32_t>(random_() % 3) - 1, 5}};
      case Physical::kString:
        return type.is_nested() ? nested(type)
                                : Value(type, std::string(kTexts[random_() % std::size(kTexts)]));
      default:
        break;
    }
    if (type.is_unsigned_integer()) return {type, static_cast<uint128_t>(random_() % 300 % 256)};
    return {type, type.id == TypeId::kBool ? int128_t{random_() % 2} : int128_t{random_() % 255} - 127};
  }

 private:
  Value nested(Type type) {
    std::vector<Value> values;
    if (type.id == TypeId::kStruct) {
      for (const Member& member : type.members()) values.push_back(value(member.type));
      return pack(type, values);
    }
    const size_t count = type.id == TypeId::kArray ? type.nested->size : random_() % 4;
    for (size_t i = 0; i < count; ++i) values.push_back(value(type.element()));
    return pack(type, values);
  }

  static constexpr std::string_view kTexts[] = {"",
                                                "a",
                                                "ab",
                                                std::string_view("a\0", 2),
                                                std::string_view("\0", 1),
                                                "a\xff",
                                                "é",
                                                std::string_view("a\0b", 3),
                                                "\xff",
                                                std::string_view("\0\xff", 2),
                                                "long text"};
  static constexpr double kReals[] = {0, 1, -1, 0.5, 1e30, -1e30, INFINITY, -INFINITY, NAN};
  static inline const Type kScalars[] = {
      TypeId::kBool,     TypeId::kInt8,    TypeId::kInt16,      TypeId::kInt32,      TypeId::kInt64,
      TypeId::kInt128,   TypeId::kUInt8,   TypeId::kUInt64,     TypeId::kUInt128,    TypeId::kFloat32,
      TypeId::kFloat64,  TypeId::kVarchar, TypeId::kBlob,       TypeId::kDate,       TypeId::kUuid,
      TypeId::kInterval, TypeId::kNull,    Type::decimal(9, 2), Type::decimal(38, 4)};

  std::mt19937 random_{7};
};

TEST(Packed, BytesAreOrderedAndEqualAsValuesAre) {
  Generator generator;
  for (int i = 0; i < 300; ++i) {
    const Type type = Type::list(generator.type(2));
    std::vector<Value> values;
    for (int k = 0; k < 12; ++k) {
      Value value = generator.value(type);
      if (!value.is_null()) values.push_back(std::move(value));
    }
    for (const Value& a : values) {
      for (const Value& b : values) {
        const int bytes = a.text().compare(b.text());
        EXPECT_EQ(bytes < 0, order(a, b) < 0) << a.to_string() << " and " << b.to_string();
        EXPECT_EQ(bytes == 0, order(a, b) == 0) << a.to_string() << " and " << b.to_string();
      }
    }
  }
}

TEST(Packed, ValuesComeBack) {
  Generator generator;
  for (int i = 0; i < 3000; ++i) {
    const Type type = Type::list(generator.type(3));
    const Value value = generator.value(type);
    if (value.is_null()) continue;
    const std::vector<Value> elements = unpack(value);
    EXPECT_EQ(size(type, value.text()), elements.size());
    EXPECT_EQ(pack(type, elements).text(), value.text());
    for (const Value& element : elements) EXPECT_EQ(element.type(), type.element());
  }
}

TEST(Packed, PrintsAsSqlDoes) {
  const Type numbers = Type::list(TypeId::kInt32), texts = Type::list(TypeId::kVarchar);
  EXPECT_EQ(pack(numbers, {Value::int32(1), Value(TypeId::kInt32)}).to_string(), "[1, NULL]");
  EXPECT_EQ(pack(numbers, {}).to_string(), "[]");
  const auto text = [](std::string value) { return Value::varchar(std::move(value)); };
  EXPECT_EQ(
      pack(texts, {text("a b"), text(""), text("x,y"), text("null"), text("it's"), text(" a")}).to_string(),
      "[a b, '', 'x,y', 'null', 'it\\'s', ' a']");
  const Type named = Type::structure({{"a", TypeId::kInt32}, {"b c", texts}});
  EXPECT_EQ(pack(named, {Value::int32(1), pack(texts, {text("x")})}).to_string(), "{'a': 1, 'b c': [x]}");
  EXPECT_EQ(named.name(), "STRUCT(a INTEGER, \"b c\" VARCHAR[])");
  const Type map = Type::map(TypeId::kInt32, TypeId::kVarchar);
  EXPECT_EQ(pack(map, {pack(map.element(), {Value::int32(1), text("x")})}).to_string(), "{1=x}");
  EXPECT_EQ(pack(Type::structure({{"", TypeId::kInt32}}), {Value::int32(1)}).to_string(), "(1)");
  EXPECT_EQ(Type::array(map, 3).name(), "MAP(INTEGER, VARCHAR)[3]");
}

TEST(Packed, EqualTypesAreOne) {
  EXPECT_EQ(Type::list(TypeId::kInt32), Type::list(TypeId::kInt32));
  EXPECT_NE(Type::list(TypeId::kInt32), Type::list(TypeId::kInt64));
  EXPECT_NE(Type::array(TypeId::kInt32, 2), Type::array(TypeId::kInt32, 3));
  EXPECT_NE(Type::structure({{"a", TypeId::kInt32}}), Type::structure({{"b", TypeId::kInt32}}));
}

}  // namespace
}  // namespace lanewise::packed
