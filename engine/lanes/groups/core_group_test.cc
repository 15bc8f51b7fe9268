#include "lanes/groups/core_group-inl.h"

#include <gtest/gtest.h>

#include <random>

#include "lanes/automata/rows-inl.h"
#include "lanes/groups/packed_group-inl.h"
#include "lanes/registers/register_emulated-inl.h"

namespace lanewise::lanes {
namespace {

using Packed = PackedGroup<emulated::Register, emulated::Classes, emulated::Next>;

template <class Group>
struct GroupTest : ::testing::Test {};
using Groups = ::testing::Types<CoreGroup<1, ColumnTable>, CoreGroup<4, ColumnTable>, CoreGroup<8, RowTable>,
                                CoreGroup<8, ClassTable>, CoreGroup<32, ColumnTable>, Packed>;
TYPED_TEST_SUITE(GroupTest, Groups);

TYPED_TEST(GroupTest, MaskOperations) {
  using Group = TypeParam;
  using Mask = typename Group::Mask;
  std::mt19937_64 random(1);
  EXPECT_EQ(Group::local, Group::width);
  EXPECT_EQ(Group::count(Group::all), Group::width);
  EXPECT_FALSE(Group::any(0));
  for (int round = 0; round < 500; round++) {
    const Mask m = round < 2 ? (round ? Group::all : 0) : Mask(random()) & Group::all;
    u32 count = 0, k = 0;
    std::vector<u32> lanes;
    for (; k < Group::width; k++) {
      EXPECT_EQ(Group::rank(m, k), count);
      if (m >> k & 1) count++, lanes.push_back(k);
    }
    EXPECT_EQ(Group::count(m), count);
    EXPECT_EQ(Group::any(m), count != 0);
    EXPECT_EQ(Group::ballot([&](u32 lane) { return m >> lane & 1; }), m);
    std::vector<u32> visited;
    Group::each(m, [&](u32 lane) { visited.push_back(lane); });
    EXPECT_EQ(visited, lanes);
  }
}

/// Rows [begin, end) of a text, each of which can be taken.
struct ListedRows {
  std::vector<std::pair<u64, u64>> rows;
  u64 next = 0;
  u64 ready(u64) const { return rows.size() - next; }
  void drop(u64 n) { next += n; }
  u64 row(u64 i) const { return next + i; }
  u64 begin(u64 row) const { return rows[row].first; }
  u64 end(u64 row) const { return rows[row].second; }
  bool dense() const { return false; }
  const u32* offsets32() const { return nullptr; }
  const u64* offsets64() const { return nullptr; }
  u32 gap() const { return 0; }
};

/// Counts the steps of a group.
struct Counts {
  static constexpr bool kOn = true;
  u64 lane_steps = 0, live_steps = 0, bytes = 0, refills = 0;
  void refill() { refills++; }
  void walk(u64 all, u64 live, u64 used) { lane_steps += all, live_steps += live, bytes += used; }
};

/// Finds 'x': two states, the second matches.
struct FindX {
  std::vector<u8> columns = std::vector<u8>(256 * 256);
  std::vector<u16> rows = std::vector<u16>(2 * 256, 256);
  u8 class_of[256] = {};
  u32 class_next[4] = {0, 2, 2, 2};
  PackedTable packed{};

  FindX() {
    for (u32 byte = 0; byte < 256; byte++) columns[byte * 256] = byte == 'x', columns[byte * 256 + 1] = 1;
    for (u32 byte = 0; byte < 256; byte++) rows[byte] = byte == 'x' ? 256 : 0;
    class_of['x'] = packed.class_of['x'] = 1;
    for (u32 i = 0; i < 4; i++) packed.next[i] = u8(class_next[i]);
    packed.last_rejecting = packed.last_undecided = 1;
  }
  template <u32 W>
  auto make(CoreGroup<W, ColumnTable>*, const u8* bytes) const {
    return CoreGroup<W, ColumnTable>({columns.data()}, {0, 1, 0, 1}, bytes);
  }
  template <u32 W>
  auto make(CoreGroup<W, RowTable>*, const u8* bytes) const {
    return CoreGroup<W, RowTable>({rows.data()}, {0, 256, 0, 256}, bytes);
  }
  template <u32 W>
  auto make(CoreGroup<W, ClassTable>*, const u8* bytes) const {
    return CoreGroup<W, ClassTable>({class_of, class_next}, {0, 2, 0, 2}, bytes);
  }
  auto make(Packed*, const u8* bytes) const { return Packed(packed, bytes, 0, 0); }
};

TYPED_TEST(GroupTest, WalksUntilALaneEnds) {
  using Group = TypeParam;
  const FindX automaton;
  std::vector<u8> text(10000, 'a');
  ListedRows source;
  for (u32 k = 0; k < Group::width; k++) source.rows.push_back({k * 40, k * 40 + (k % 2 ? 40 : 5)});
  text[40 + 3] = 'x';  // in row 1, if there is one
  Group group = automaton.make((Group*)nullptr, text.data());
  group.take(Group::all, source);
  Counts counts;
  const auto ended = group.walk(Group::all, counts);
  for (u32 k = 0; k < Group::width; k++) {
    EXPECT_EQ(group.row(k), k);
    EXPECT_EQ(bool(ended >> k & 1), k % 2 == 0 || k == 1) << k;  // row 1 has matched
  }
  EXPECT_EQ(group.matches(ended), Group::width > 1 ? 2u : 0u);
  EXPECT_EQ(counts.live_steps, counts.lane_steps);
  EXPECT_EQ(counts.lane_steps % Group::width, 0u);
}

TYPED_TEST(GroupTest, EveryRowIsBookedOnce) {
  using Group = TypeParam;
  const FindX automaton;
  std::mt19937 random(2);
  std::vector<u8> text(5000 + 64, 'a');
  for (u8& byte : text) byte = random() % 100 ? 'a' : 'x';
  for (u32 below : {1u, Group::width / 2 + 1, Group::width}) {
    for (u32 rows : {0u, 1u, Group::width - 1, Group::width, Group::width + 1, 1000u}) {
      ListedRows source;
      std::vector<u64> expected, booked;
      for (u32 i = 0; i < rows; i++) {
        const u64 begin = random() % 4800, end = begin + random() % 200;
        source.rows.push_back({begin, end});
        if (std::find(&text[begin], &text[end], 'x') != &text[end]) expected.push_back(i);
      }
      Group group = automaton.make((Group*)nullptr, text.data());
      Counts counts;
      run_rows(
          group, source, below, [&](const auto& lanes, u32 k) { booked.push_back(lanes.row(k)); }, counts);
      std::sort(booked.begin(), booked.end());
      EXPECT_EQ(booked, expected) << "rows " << rows << " below " << below;
      EXPECT_GE(counts.lane_steps, counts.live_steps);
      EXPECT_GE(counts.live_steps, counts.bytes);
    }
  }
}

}  // namespace
}  // namespace lanewise::lanes
