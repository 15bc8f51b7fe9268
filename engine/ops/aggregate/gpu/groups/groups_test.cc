#include "ops/aggregate/gpu/groups/groups-inl.h"

#include "ops/aggregate/gpu/guarded_cell-inl.h"
#include "ops/aggregate/gpu/picks-inl.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "expr/numbers.h"

/// Keys, cells and tables of groups, as one thread of the host uses them.
namespace lanewise::ops {
namespace groups_test {

template <class T>
kernel::Key<T> key_of(T value) {
  kernel::Key<T> key{};
  key.set(value);
  return key;
}
template <class T>
bool same(const kernel::Key<T>& a, const kernel::Key<T>& b) {
  return a.template same<false>(b.first(), b);
}
bool same(const kernel::Key<kernel::Text>& a, const kernel::Key<kernel::Text>& b) {
  return a.same<false>(b.first(), b) && a.same_bytes(b.rest);
}
kernel::Text text_of(const std::string& text) {
  return {reinterpret_cast<const kernel::u8*>(text.data()), text.size()};
}

TEST(DeviceGroups, KeysGiveTheirValuesBack) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(key_of<int32_t>(-5).get(), -5);
  EXPECT_EQ(key_of<uint16_t>(65535).get(), 65535);
  EXPECT_EQ(key_of(int128_t{-3} << 90).get(), int128_t{-3} << 90);
  EXPECT_EQ(key_of(2.5).get(), 2.5);
  EXPECT_TRUE(same(key_of(-nan), key_of(nan)));
  EXPECT_TRUE(same(key_of(-0.0F), key_of(0.0F)));
  EXPECT_FALSE(same(key_of(1.0), key_of(-1.0)));
  EXPECT_TRUE(std::isnan(key_of(static_cast<float>(nan)).get()));
}

TEST(DeviceGroups, ExactKeysKeepZerosApart) {
  kernel::ExactKey<double> low{}, high{};
  kernel::ExactKey<float> narrow{};
  low.set(-0.0);
  high.set(0.0);
  narrow.set(-0.0F);
  EXPECT_TRUE(std::signbit(low.get()));
  EXPECT_TRUE(std::signbit(narrow.get()));
  EXPECT_FALSE(std::signbit(high.get()));
  EXPECT_FALSE(low.same<false>(high.first(), high));
  low.set(2.5);
  EXPECT_EQ(low.get(), 2.5);
  low.set(-std::numeric_limits<double>::quiet_NaN());
  high.set(std::numeric_limits<double>::quiet_NaN());
  EXPECT_TRUE(low.same<false>(high.first(), high));
}

TEST(DeviceGroups, TextsAreKeysByTheirBytes) {
  std::vector<std::string> texts;
  for (size_t size = 0; size <= 40; ++size) {
    texts.emplace_back(size, 'a');
    for (size_t at = 0; at < size; at += 1 + size / 9) {
      texts.emplace_back(size, 'a');
      texts.back()[at] = static_cast<char>(at % 2 == 0 ? 0 : 0xff);
    }
  }
  for (const std::string& a : texts) {
    const auto key = key_of(text_of(a));
    const kernel::Text back = key.get();
    EXPECT_EQ(std::string(reinterpret_cast<const char*>(back.at), back.size), a);
    for (const std::string& b : texts) {
      const std::string other = b;  // at another place
      const auto second = key_of(text_of(other));
      EXPECT_EQ(same(key, second), a == b) << a << ' ' << b;
      EXPECT_TRUE(a != b || key.hash_bytes(key.hash(7)) == second.hash_bytes(second.hash(7)));
    }
  }
}

TEST(DeviceGroups, ShortTextsAreKeysByThemselves) {
  std::vector<std::string> texts = {"", std::string(1, '\0')};
  for (size_t size = 1; size <= kernel::Key<kernel::Text>::kInside; ++size) {
    texts.emplace_back(size, 'a');
    texts.push_back(texts.back());
    texts.back().back() = static_cast<char>(0xff);
  }
  for (const std::string& a : texts) {
    kernel::ShortKey key{};
    key.set(text_of(a));
    const kernel::Text back = key.get();
    EXPECT_EQ(std::string(reinterpret_cast<const char*>(back.at), back.size), a);
    EXPECT_EQ(key.hash(7), key_of(text_of(a)).hash(7)) << "as other keys";
    for (const std::string& b : texts) {
      kernel::ShortKey second{};
      second.set(text_of(b));
      EXPECT_EQ(key.same<false>(second.first(), second), a == b) << a << ' ' << b;
    }
  }
}

template <class T>
int128_t sum_of(const std::vector<T>& values) {
  kernel::SumCell<T> cells[2]{};
  for (size_t i = 0; i < values.size(); ++i) {
    kernel::SumCell<T> one{};
    one.set(values[i]);
    cells[i % 2].template merge<true>(one);
  }
  cells[0].template merge<false>(cells[1]);
  EXPECT_FALSE(cells[0].overflows());
  return cells[0].get();
}

TEST(DeviceGroups, SumsAreExact) {
  EXPECT_EQ(sum_of<int8_t>({-128, -128, 5}), -251);
  EXPECT_EQ(sum_of<uint32_t>({UINT32_MAX, UINT32_MAX, 1}), int128_t{UINT32_MAX} * 2 + 1);
  EXPECT_EQ(sum_of<int64_t>({INT64_MAX, INT64_MAX, INT64_MAX, -1}), int128_t{INT64_MAX} * 3 - 1);
  EXPECT_EQ(sum_of<int64_t>({INT64_MIN, -1, 1, -1}), int128_t{INT64_MIN} - 1);
  EXPECT_EQ(sum_of<uint64_t>({UINT64_MAX, UINT64_MAX, 1}), int128_t{UINT64_MAX} * 2 + 1);
  const int128_t most = expr::highest<int128_t>(), least = expr::lowest<int128_t>();
  EXPECT_EQ(sum_of<int128_t>({most, most, least, least, 5}), 3);
  kernel::SumCell<int128_t> cell{}, one{};
  cell.set(most);
  one.set(1);
  cell.merge<false>(one);
  EXPECT_TRUE(cell.overflows());
}

template <class T>
void check_extremes(const std::vector<T>& ascending) {
  for (size_t last = 1; last <= ascending.size(); ++last) {
    kernel::ExtremeCell<T, false> least{};
    kernel::ExtremeCell<T, true> most{}, merged{};
    for (size_t i = last; i-- > 0;) {
      kernel::ExtremeCell<T, false> low{};
      kernel::ExtremeCell<T, true> high{};
      low.set(ascending[i]);
      high.set(ascending[i]);
      least.template merge<false>(low);
      most.template merge<true>(high);
    }
    merged.template merge<false>(most);
    EXPECT_TRUE(kernel::same_value<T>(least.get(), ascending[0]));
    EXPECT_TRUE(kernel::same_value<T>(merged.get(), ascending[last - 1]));
  }
}

TEST(DeviceGroups, Extremes) {
  check_extremes<int32_t>({INT32_MIN, -1, 0, 1, INT32_MAX});
  check_extremes<uint64_t>({0, 1, UINT64_MAX});
  check_extremes<bool>({false, true});
  check_extremes<int128_t>({expr::lowest<int128_t>(), -1, 0, int128_t{1} << 100, expr::highest<int128_t>()});
  const double infinity = std::numeric_limits<double>::infinity();
  check_extremes<double>({-infinity, -2.5, -0.0, 1e-300, infinity, std::numeric_limits<double>::quiet_NaN()});
  check_extremes<float>({-1.5F, 0, 3, std::numeric_limits<float>::quiet_NaN()});
}

/// As the generated one of: SELECT a, b, count(*) GROUP BY a, b.
struct Slot {
  kernel::u32 tag, nulls;
  kernel::Key<int32_t> k0;
  kernel::Key<kernel::Text> k1;
  kernel::CountCell c0;

  kernel::u64 hash() const { return k1.hash(k0.hash(nulls)); }
  template <bool kShared>
  bool same(kernel::u64 first, const Slot& held) const {
    return k0.same<kShared>(first, held.k0) && k1.same<kShared>(held.k1.first(), held.k1);
  }
  template <bool kShared>
  void take_key(const Slot& from) {
    kernel::write<kShared>(nulls, from.nulls);
    k0.take<kShared>(from.k0);
    k1.take<kShared>(from.k1);
  }
  static constexpr kernel::u32 kTexts = 1;
  static constexpr bool kMakesTexts = true;
  const kernel::u64& rest(kernel::u32 /*i*/) const { return k1.rest; }
  const kernel::Key<kernel::Text>& text(kernel::u32 /*i*/) const { return k1; }
};

kernel::u64 hash_of(const Slot& slot) { return kernel::last_mix(kernel::hash_of(slot)); }

TEST(DeviceGroups, TablesHoldEachGroupOnce) {
  constexpr size_t kSlots = 1024, kStride = sizeof(Slot) + 8;
  for (const int different : {1, 31, 32, 33, 500, 1024}) {
    std::vector<uint64_t> memory(kSlots * kStride / 8);
    const kernel::SlotTable<Slot, false> table{reinterpret_cast<kernel::u8*>(memory.data()), kSlots - 1,
                                               kStride, kSlots};
    std::vector<std::string> texts;
    for (int i = 0; i < different; ++i) texts.push_back(std::string(static_cast<size_t>(i % 30), 'x') + "k");
    std::map<std::pair<int, std::string>, uint32_t> expected;
    std::mt19937 random(5);
    for (int row = 0; row < 5000; ++row) {
      const int i = row < different ? row : static_cast<int>(random() % static_cast<unsigned>(different));
      Slot wanted{};
      if (i == 3) wanted.nulls = 1;
      if (i != 3) wanted.k0.set(i);
      wanted.k1.set(text_of(texts[static_cast<size_t>(i)]));
      const kernel::u64 hash = hash_of(wanted);
      Slot* found = table.find(1, wanted, 0, hash, hash, [] { return true; });
      ASSERT_NE(found, nullptr);
      kernel::CountCell one{};
      one.set();
      found->c0.merge<false>(one);
      ++expected[{i, texts[static_cast<size_t>(i)]}];
    }
    size_t groups = 0;
    for (size_t i = 0; i < kSlots; ++i) {
      const Slot& slot = table.at(i);
      if (slot.tag == 0) continue;
      ++groups;
      const kernel::Text text = slot.k1.get();
      const std::string key(reinterpret_cast<const char*>(text.at), text.size);
      const auto found = expected.find({slot.nulls == 1 ? 3 : slot.k0.get(), key});
      ASSERT_NE(found, expected.end());
      EXPECT_EQ(slot.c0.count, found->second);
    }
    EXPECT_EQ(groups, expected.size());
    if (different != 1024) continue;
    Slot another{};
    another.k0.set(-1);
    EXPECT_EQ(table.find(1, another, 0, hash_of(another), 0, [] { return true; }), nullptr)
        << "the table is full";
  }
}

TEST(DeviceGroups, NoSlotIsMadeUnlessAllowed) {
  std::vector<uint64_t> memory(8 * sizeof(Slot) / 8);
  const kernel::SlotTable<Slot, true> table{reinterpret_cast<kernel::u8*>(memory.data()), 7, sizeof(Slot), 8};
  const Slot wanted{};
  EXPECT_EQ(table.find(1, wanted, 0, hash_of(wanted), 3, [] { return false; }), nullptr);
  Slot* made = table.find(1, wanted, 0, hash_of(wanted), 3, [] { return true; });
  EXPECT_EQ(made, &table.at(3));
  EXPECT_EQ(table.find(1, wanted, 0, hash_of(wanted), 3, [] { return false; }), made);
}

TEST(DeviceGroups, HashesAreKeptBehindSlots) {
  constexpr size_t kStride = sizeof(Slot) + 8;
  std::vector<uint64_t> memory(8 * kStride / 8);
  const kernel::SlotTable<Slot, true, true> table{reinterpret_cast<kernel::u8*>(memory.data()), 7, kStride,
                                                  8};
  Slot wanted{};
  wanted.k0.set(5);
  Slot* made = table.find(1, wanted, 0, hash_of(wanted), 3, [] { return true; });
  ASSERT_EQ(made, &table.at(3));
  EXPECT_EQ(table.kept_hash(*made), hash_of(wanted));
}

TEST(DeviceGroups, CopiesOfAGroupAreApart) {
  std::vector<uint64_t> memory(16 * sizeof(Slot) / 8);
  const kernel::SlotTable<Slot, true> table{reinterpret_cast<kernel::u8*>(memory.data()), 15, sizeof(Slot),
                                            16};
  const std::string text = "a text that is longer than a key holds";
  Slot wanted{};
  wanted.k0.set(5);
  wanted.k1.set(text_of(text));
  for (const bool may_make : {true, false}) {
    for (kernel::u32 copy = 0; copy < kernel::kCopies; ++copy) {
      const Slot* found = table.find(1, wanted, copy, hash_of(wanted), 3 + copy, [&] { return may_make; });
      EXPECT_EQ(found, &table.at(3 + copy));
      EXPECT_EQ(found->k0.get(), 5);
    }
  }
}

template <bool kMost>
std::string extreme(const std::vector<std::string>& texts) {
  kernel::ExtremeCell<kernel::Text, kMost> cells[2]{};
  for (size_t i = 0; i < texts.size(); ++i) {
    kernel::ExtremeCell<kernel::Text, kMost> one{};
    one.set(text_of(texts[i]));
    cells[i % 2].template merge<false>(one);
  }
  cells[0].template merge<false>(cells[1]);
  const kernel::Text best = cells[0].get();
  return {reinterpret_cast<const char*>(best.at), best.size};
}

TEST(DeviceGroups, ExtremesOfTextsAreByTheirBytes) {
  std::mt19937 random(7);
  for (size_t count : {1, 2, 3, 50}) {
    for (int round = 0; round < 200; ++round) {
      std::vector<std::string> texts(count);
      for (std::string& text : texts) {
        text.assign(random() % 12, round % 2 == 0 ? 'a' : '\0');
        if (!text.empty()) text[random() % text.size()] = static_cast<char>("\0ab\xff"[random() % 4]);
      }
      EXPECT_EQ(extreme<true>(texts), *std::max_element(texts.begin(), texts.end()));
      EXPECT_EQ(extreme<false>(texts), *std::min_element(texts.begin(), texts.end()));
    }
  }
}

kernel::Key<kernel::Interval> key_of(int months, int days, int64_t micros) {
  kernel::Key<kernel::Interval> key{};
  key.set(kernel::Interval{months, days, micros});
  return key;
}

TEST(DeviceGroups, IntervalsAreKeysAsTheyCompare) {
  constexpr int64_t kDay = 86'400'000'000;
  const auto alike = [](const auto& a, const auto& b) { return a.template same<false>(b.first(), b); };
  EXPECT_TRUE(alike(key_of(1, 0, 0), key_of(0, 30, 0)));
  EXPECT_TRUE(alike(key_of(-1, 31, 0), key_of(0, 0, kDay)));
  EXPECT_FALSE(alike(key_of(0, 1, 0), key_of(0, -1, 0)));
  EXPECT_FALSE(alike(key_of(0, 0, 1), key_of(0, 0, 2)));
}

TEST(DeviceGroups, IntervalsSortAsTheyCompare) {
  constexpr int64_t kDay = 86'400'000'000;
  const std::vector<kernel::Interval> ascending = {{-2, 0, 0},   {0, -30, -1}, {0, -30, 0}, {0, -1, 5},
                                                   {0, 0, -1},   {0, 0, 0},    {0, 0, 1},   {0, 1, 0},
                                                   {0, 1, kDay}, {1, 0, 0},    {0, 30, 1}};
  for (size_t i = 0; i + 1 < ascending.size(); ++i) {
    const kernel::Interval a = ascending[i], b = ascending[i + 1];
    EXPECT_TRUE(kernel::below(a, b)) << i;
    EXPECT_LT(kernel::order_of<false>(a), kernel::order_of<false>(b)) << i;
    EXPECT_GT(kernel::order_of<true>(a), kernel::order_of<true>(b)) << i;
  }
  EXPECT_EQ(kernel::order_of<false>(kernel::Interval{1, 0, 0}),
            kernel::order_of<false>(kernel::Interval{0, 30, 0}));
}

/// What cells of one value each come to, taken in in this order.
template <class Cell, class T>
Cell merged_cell(const std::vector<T>& values) {
  Cell cells[2]{};
  for (size_t i = 0; i < values.size(); ++i) {
    Cell one{};
    one.set(values[i]);
    cells[i % 2].template merge<true>(one);
  }
  cells[0].template merge<false>(cells[1]);
  return cells[0];
}

template <class T>
void check_bits(const std::vector<T>& values) {
  T all = values[0], some = values[0], odd = values[0];
  for (size_t i = 1; i < values.size(); ++i) {
    all = static_cast<T>(all & values[i]);
    some = static_cast<T>(some | values[i]);
    odd = static_cast<T>(odd ^ values[i]);
  }
  using kernel::Fold, kernel::BitCell;
  EXPECT_EQ((merged_cell<BitCell<T, Fold::kAnd>>(values).get()), all);
  EXPECT_EQ((merged_cell<BitCell<T, Fold::kOr>>(values).get()), some);
  EXPECT_EQ((merged_cell<BitCell<T, Fold::kXor>>(values).get()), odd);
}

TEST(DeviceGroups, BitsAreFolded) {
  check_bits<int8_t>({-1, 0x55, -128});
  check_bits<uint16_t>({0xff00, 0x0ff0, 0xfff0});
  check_bits<int64_t>({INT64_MIN | 7, INT64_MIN | 5});
  check_bits<int128_t>({expr::lowest<int128_t>() + 12, expr::lowest<int128_t>() + 6, int128_t{-1}});
}

TEST(DeviceGroups, FoldsOfReals) {
  const std::vector<double> values = {3, 1e16, 1, -1e16, 0.5, 7};
  using kernel::GuardedCell;
  EXPECT_EQ(merged_cell<GuardedCell<kernel::ExactRealSum>>(values).state().sum, 11.5);
  EXPECT_EQ(merged_cell<GuardedCell<kernel::Product>>(std::vector<double>{2, -3, 0.5, 0}).state().product, 0);
  EXPECT_EQ(merged_cell<GuardedCell<kernel::Product>>(std::vector<double>{2, -3, 0.5}).state().product, -3);
  const kernel::Moments moments =
      merged_cell<GuardedCell<kernel::Moments>>(std::vector<double>{1e9 + 4, 1e9 + 7, 1e9 + 13, 1e9 + 16})
          .state();
  EXPECT_EQ(moments.count, 4);
  EXPECT_EQ(moments.mean, 1e9 + 10);
  EXPECT_DOUBLE_EQ(moments.squares, 90);
}

TEST(DeviceGroups, RowsArePickedByTheirPlace) {
  using Cell = kernel::RowCell<1>;
  Cell first{}, last{};
  EXPECT_FALSE(first.there());
  for (const uint64_t row : {5, 0, 9, 3}) {
    Cell one{};
    one.set_row<false>(row);
    first.merge<true>(one);
    one.set_row<true>(row);
    last.merge<false>(one);
  }
  EXPECT_EQ(first.row<false>(), 0);
  EXPECT_EQ(last.row<true>(), 9);
}

/// The row of the least number (or NULL), then of the greatest text, then the first one.
TEST(DeviceGroups, RowsArePickedByRank) {
  using Cell = kernel::RowCell<6, 1 << 2, 1 << 2>;
  const std::string long_a = "a text of more than eight bytes, a",
                    long_b = "a text of more than eight bytes, b";
  struct Row {
    std::optional<int> number;
    std::string text;
  };
  const std::vector<Row> rows = {{7, "x"}, {3, long_a}, {3, long_b}, {{}, "z"}, {3, ""}, {3, long_b}};
  const auto pick = [&](size_t from) {
    Cell best{};
    for (size_t i = from; i < rows.size(); ++i) {
      Cell one{};
      one.words[0] = rows[i].number ? 1 : 0;
      if (rows[i].number) one.words[1] = kernel::order_of<true>(*rows[i].number);
      one.set_text<true>(2, text_of(rows[i].text));
      one.set_row<false>(i);
      best.merge<true>(one);
    }
    return best.row<false>();
  };
  EXPECT_EQ(pick(0), 2);
  EXPECT_EQ(pick(3), 5);
}

}  // namespace groups_test
}  // namespace lanewise::ops
