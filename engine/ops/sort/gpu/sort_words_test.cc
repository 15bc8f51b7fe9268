#include "ops/sort/gpu/sort_words.h"

#include <gmock/gmock.h>

#include <cmath>
#include <limits>

#include "codegen/order-inl.h"

/// Values as numbers that sort as they do, and how numbers are put into words.
namespace lanewise::ops {
namespace sort_words_test {

using What = SortWord::What;

template <class T>
void expect_order(const std::vector<T>& values) {
  for (const T a : values) {
    for (const T b : values) {
      const bool less = kernel::below(a, b);
      EXPECT_EQ(kernel::order_of<false>(a) < kernel::order_of<false>(b), less);
      EXPECT_EQ(kernel::order_of<true>(a) > kernel::order_of<true>(b), less);
      EXPECT_TRUE(sizeof(T) >= 8 || kernel::order_of<true>(a) >> sizeof(T) * 4 >> sizeof(T) * 4 == 0);
    }
  }
}

template <class T>
void expect_order_of_integers() {
  expect_order<T>({kernel::lowest<T>, T(kernel::lowest<T> + 1), T(-1), T(0), T(1), T(100),
                   T(kernel::highest<T> - 1), kernel::highest<T>});
}

TEST(SortWords, NumbersSortAsValues) {
  expect_order_of_integers<kernel::i8>();
  expect_order_of_integers<kernel::u8>();
  expect_order_of_integers<kernel::i16>();
  expect_order_of_integers<kernel::u16>();
  expect_order_of_integers<kernel::i32>();
  expect_order_of_integers<kernel::u32>();
  expect_order_of_integers<kernel::i64>();
  expect_order_of_integers<kernel::u64>();
  expect_order_of_integers<kernel::i128>();
  expect_order_of_integers<kernel::u128>();
  expect_order<bool>({false, true});
}

template <class T>
std::vector<T> reals() {
  using Limits = std::numeric_limits<T>;
  return {-Limits::infinity(),
          Limits::lowest(),
          -1,
          -Limits::denorm_min(),
          T(-0.0),
          0,
          Limits::denorm_min(),
          1,
          Limits::max(),
          Limits::infinity(),
          Limits::quiet_NaN(),
          -Limits::quiet_NaN()};
}

TEST(SortWords, RealsSortAsValues) {
  expect_order<float>(reals<float>());
  expect_order<double>(reals<double>());
}

TEST(SortWords, TextsSortByEightBytes) {
  const auto text = [](std::string_view bytes) {
    return kernel::Text{reinterpret_cast<const kernel::u8*>(bytes.data()), bytes.size()};
  };
  for (const std::string_view a : {"", "a", "ab", "abcdefgh", "abcdefgi", "b", "\xff\xfe"}) {
    for (const std::string_view b : {"", "a", "ab", "abcdefgh", "abcdefgi", "b", "\xff\xfe"}) {
      EXPECT_EQ(kernel::text_word<false>(text(a), 0) < kernel::text_word<false>(text(b), 0), a < b);
      EXPECT_EQ(kernel::text_word<true>(text(a), 0) > kernel::text_word<true>(text(b), 0), a < b);
    }
  }
  EXPECT_EQ(kernel::text_word<false>(text("abcdefghij"), 8), uint64_t{'i'} << 56 | uint64_t{'j'} << 48);
  EXPECT_EQ(kernel::text_word<false>(text("abcdefghij"), 16), 0u);
}

std::vector<plan::SortKey> keys_of(const std::vector<Type>& types) {
  std::vector<plan::SortKey> keys;
  for (size_t i = 0; i < types.size(); ++i) keys.push_back({.expr = column(i, types[i])});
  return keys;
}

TEST(SortWords, AreFilledUp) {
  const auto words = sort_words(keys_of({TypeId::kInt32, TypeId::kInt16, TypeId::kBool, TypeId::kInt16}),
                                {true, false, true, false});
  ASSERT_EQ(words.size(), 2u);
  EXPECT_EQ(words[0].bits, 1u + 32 + 16 + 1 + 1);
  EXPECT_EQ(words[0].bytes(), 8u);
  EXPECT_EQ(words[0].parts.front().what, What::kNull);
  EXPECT_EQ(words[1].bits, 16u);
  EXPECT_EQ(words[1].bytes(), 4u);
}

TEST(SortWords, WideValuesAreTwo) {
  const auto words = sort_words(keys_of({TypeId::kInt128, TypeId::kInt64}), {false, true});
  ASSERT_EQ(words.size(), 4u);
  EXPECT_EQ(words[0].parts[0].what, What::kHigh);
  EXPECT_EQ(words[1].parts[0].what, What::kLow);
  EXPECT_EQ(words[2].bits, 1u);
}

TEST(SortWords, TextsEndWithTheirSize) {
  const auto words = sort_words(keys_of({TypeId::kVarchar, TypeId::kInt32}), {true, false});
  ASSERT_EQ(words.size(), 3u);
  EXPECT_EQ(words[0].bits, 1u);
  EXPECT_EQ(words[1].text, std::optional<size_t>(0));
  EXPECT_EQ(words[2].parts[0].what, What::kSize);
  EXPECT_EQ(words[2].bits, 64u);
}

}  // namespace sort_words_test
}  // namespace lanewise::ops
