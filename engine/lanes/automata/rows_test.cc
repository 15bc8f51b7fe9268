#include "lanes/automata/rows.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "base/error.h"
#include "base/testing/test_size.h"
#include "lanes/testing/guarded.h"
#include "lanes/testing/random_automaton.h"

namespace lanewise::lanes {
namespace {

constexpr size_t kPadding = 64;

/// Rows of given lengths over few letters, `gap` bytes after each; the bytes, with their padding, end at a
/// guard page.
struct Column {
  Guarded<u8> bytes;
  Guarded<u32> offsets32;
  Guarded<u64> offsets64;
  size_t rows;
  u32 gap;

  Column(const std::vector<size_t>& lengths, std::mt19937& random, u64 first_offset = 0, u32 g = 0)
      : bytes(first_offset + std::accumulate(lengths.begin(), lengths.end(), lengths.size() * g) + kPadding),
        offsets32(lengths.size() + 1),
        offsets64(lengths.size() + 1),
        rows(lengths.size()),
        gap(g) {
    u64 at = first_offset;
    for (size_t i = 0; i <= rows; i++) {
      offsets32[i] = u32(at);
      offsets64[i] = at;
      if (i < rows) at += lengths[i] + gap;
    }
    for (size_t i = 0; i < bytes.size(); i++) bytes[i] = u8(random() % 4 ? 'a' + random() % 4 : random());
  }
  std::vector<u64> expected(const AutomatonView& a, const u64* active) const {
    std::vector<u64> hits((rows + 63) / 64);
    for (size_t i = 0; i < rows; i++) {
      if (active && !(active[i / 64] >> i % 64 & 1)) continue;
      const bool hit = accepts(a, bytes.data() + offsets64[i], bytes.data() + offsets64[i + 1] - gap);
      hits[i / 64] |= u64(hit) << i % 64;
    }
    return hits;
  }
};

struct Variant {
  Target target;
  Form form;
  RowOptions options;
  std::string name() const {
    return std::string(lanes::name(target)) + (form == Form::rows ? "_rows" : "_packed") +
           std::to_string(options.width) + "_below" + std::to_string(options.refill_below);
  }
};

/// Is the row's length odd? No byte decides it.
AutomatonView odd_length() {
  static constexpr u8 kClasses[256] = {};
  static constexpr u16 kNext[] = {1, 0};
  return {kClasses, kNext, 2, 1, 0, 2, 1, 2};
}

std::vector<Variant> variants() {
  std::vector<Variant> all;
  for (u32 below : {0u, 1u, 5u}) {
    all.push_back({Target::branching, Form::rows, {8, below}});
    all.push_back({Target::scalar, Form::rows, {8, below}});
    all.push_back({Target::interleaved, Form::rows, {4, below}});
    all.push_back({Target::interleaved, Form::rows, {8, below}});
    all.push_back({Target::emulated, Form::rows, {8, below}});
    for (Target target : kTargets) {
      if (offers(target, Form::packed, odd_length())) all.push_back({target, Form::packed, {8, below}});
    }
  }
  return all;
}

class MatchRows : public ::testing::TestWithParam<Variant> {
 protected:
  void SetUp() override {
    if (!supported(GetParam().target)) GTEST_SKIP() << name(GetParam().target) << " is not supported here";
  }

  /// Compares the matcher with the reference: both offset widths, with and without active rows and
  /// statistics.
  void check(const AutomatonView& a, const Column& column) {
    const auto [target, form, options] = GetParam();
    if (!offers(target, form, a)) return;
    checked_++;
    const RowMatcher matcher(target, form, a, options);
    const size_t words = (column.rows + 63) / 64;
    for (int share : {-1, 0, 1, 60}) {
      Guarded<u64> active(words);
      for (size_t i = 0; i < column.rows; i++) {
        if (int(random_() % 100) < share) active[i / 64] |= u64(1) << i % 64;
      }
      const u64* active_rows = share < 0 ? nullptr : active.data();
      const std::vector<u64> expected = column.expected(a, active_rows);
      for (bool wide : {false, true}) {
        const StringRows rows =
            wide ? StringRows(column.bytes.data(), column.offsets64.data(), column.rows, column.gap)
                 : StringRows(column.bytes.data(), column.offsets32.data(), column.rows, column.gap);
        Guarded<u64> hits(words);
        for (size_t w = 0; w < words; w++) hits[w] = random_();
        Stats stats;
        ASSERT_EQ(matcher.match(rows, active_rows, hits.data(), wide ? &stats : nullptr), target);
        ASSERT_TRUE(std::equal(expected.begin(), expected.end(), hits.data()))
            << "rows " << column.rows << " wide " << wide << " active % " << share << " states " << a.states
            << " classes " << a.classes << " start " << a.start << " dead " << a.dead << " end_accept "
            << a.end_accept << " match " << a.match;
        ASSERT_LE(stats.stepped_bytes, stats.live_steps);
        ASSERT_LE(stats.live_steps, stats.lane_steps);
      }
    }
  }

  std::mt19937 random_{11};
  int checked_ = 0;
};

TEST_P(MatchRows, RandomAutomata) {
  const RandomAutomaton::Shape shapes[] = {
      {2, 1, false, true, false},   {2, 2, true, false, true},       {5, 3, true, true, true, 4},
      {9, 7, false, true, true, 8}, {8, 4, true, true, false, 6},    {16, 4, true, true, true, 12},
      {16, 8, true, true, true, 8}, {20, 6, false, false, true},     {32, 8, true, true, true},
      {64, 4, true, true, true, 5}, {128, 2, true, true, true},      {255, 1, false, true, true},
      {25, 10, true, true, true},   {300, 7, true, true, true},      {1000, 20, true, true, true},
      {4, 64, true, true, true},    {2, 128, false, true, false},    {1, 256, false, false, true},
      {16, 32, true, true, true},   {23, 21, true, true, true, 9},   {2, 256, true, true, true},
      {127, 4, true, true, true},   {36, 14, false, true, true, 13}, {256, 2, true, true, false}};
  for (const auto& shape : shapes) {
    for (size_t rows : {0, 1, 31, 32, 33, 63, 64, 65, 129, 600}) {
      std::vector<size_t> lengths(rows);
      for (size_t& length : lengths) {
        const size_t edges[] = {0, 1, 2, 7, 15, 16, 17, 31, 32, 33, 63, 64, 65, 200};
        length = edges[random_() % std::size(edges)];
      }
      const RandomAutomaton automaton(shape, random_);
      check(automaton.view(), Column(lengths, random_, random_() % 3 * 5, random_() % 2));
      if (HasFatalFailure()) return;
    }
  }
  EXPECT_GT(checked_, 24);
}

TEST_P(MatchRows, OneLength) {
  for (size_t length : {0, 1, 15, 16, 17, 31, 32, 33, 48, 63, 64, 65, 255, 256, 257, 4095, 4096, 4097}) {
    const RandomAutomaton automaton({8, 4, true, true, true, 6}, random_);
    check(automaton.view(), Column(std::vector<size_t>(130, length), random_));
    if (HasFatalFailure()) return;
  }
}

TEST_P(MatchRows, HugeRowsAmongSmallOnes) {
  const RandomAutomaton automaton({12, 4, true, false, true, 6}, random_);
  std::vector<size_t> lengths(500, 10);
  lengths[3] = test_size(1 << 16, 1 << 20);
  lengths[499] = test_size(10'000, 100'000);
  check(automaton.view(), Column(lengths, random_));
  check(automaton.view(), Column(lengths, random_, 0, 1));
}

TEST_P(MatchRows, AnswersThatNeedNoLook) {
  const u8 classes[256] = {};
  const u16 next[] = {0, 1};
  const Column column(std::vector<size_t>(70, 5), random_);
  check({classes, next, 2, 1, 1, 2, 1, 1}, column);  // starts in the match state
  check({classes, next, 2, 1, 0, 0, 1, 1}, column);  // starts dead
  check({classes, next, 2, 1, 0, 2, 0, 2}, column);  // every state accepts at the end
  EXPECT_EQ(checked_, 3);
}

TEST_P(MatchRows, HitsMayReplaceActive) {
  const auto [target, form, options] = GetParam();
  const RandomAutomaton automaton({5, 3, false, true, true, 4}, random_);
  const Column column(std::vector<size_t>(1000, 9), random_);
  std::vector<u64> bits(16);
  for (u64& word : bits) word = u64(random_()) << 32 | random_();
  bits.back() &= (u64(1) << 1000 % 64) - 1;
  const auto expected = column.expected(automaton.view(), bits.data());
  RowMatcher(target, form, automaton.view(), options)
      .match(StringRows(column.bytes.data(), column.offsets32.data(), column.rows), bits.data(), bits.data());
  EXPECT_EQ(bits, expected);
}

TEST_P(MatchRows, NoBytesAtAll) {
  const auto [target, form, options] = GetParam();
  const RandomAutomaton automaton({5, 3, false, true, true, 4}, random_);
  const std::vector<u32> offsets(101);
  u64 hits[2];
  const RowMatcher matcher(target, form, automaton.view(), options);
  EXPECT_EQ(matcher.match(StringRows(nullptr, offsets.data(), 100), nullptr, hits), target);
  const bool hit = accepts(automaton.view(), nullptr, nullptr);
  EXPECT_EQ(hits[0], hit ? ~u64(0) : 0);
  EXPECT_EQ(hits[1], hit ? (u64(1) << 36) - 1 : 0);
}

INSTANTIATE_TEST_SUITE_P(All, MatchRows, ::testing::ValuesIn(variants()),
                         [](const auto& variant) { return variant.param.name(); });

/// Text of more than 4 GiB whose rows lie in three pages: most of it is never written.
TEST(MatchLongText, SegmentsAndRowsOver4GiB) {
  const u64 gib = u64(1) << 30;
  const u64 size = 10 * gib;
  void* memory = mmap(nullptr, size + kPadding, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) GTEST_SKIP() << "no address space for 10 GiB";
  u8* bytes = static_cast<u8*>(memory);
  // Finds 'x' anywhere; a row ends early once it has matched.
  u8 classes[256] = {};
  classes['x'] = 1;
  const u16 next[] = {0, 1, 1, 1};
  const AutomatonView any_x{classes, next, 2, 2, 0, 2, 1, 1};
  std::vector<u64> offsets = {0, 10, 10 + 3 * gib, 20 + 3 * gib, 20 + 9 * gib, 30 + 9 * gib, 31 + 9 * gib};
  for (u64 row : {0, 1, 3, 4}) bytes[offsets[row] + 5] = 'x';
  for (Target target : supported_targets()) {
    for (Form form : {Form::rows, Form::packed}) {
      if (!offers(target, form, any_x)) continue;
      for (u64 active : {u64(0b111111), u64(0b101001)}) {
        u64 hits = ~u64(0);
        const RowMatcher matcher(target, form, any_x);
        ASSERT_EQ(matcher.match(StringRows(bytes, offsets.data(), 6), &active, &hits), target);
        EXPECT_EQ(hits, 0b011011 & active) << name(target) << " " << int(form);
      }
    }
  }
  munmap(memory, size + kPadding);
}

TEST(MatchRefill, KeepsLanesBusy) {
  std::mt19937 random(1);
  std::vector<size_t> lengths(100'000);
  for (size_t& length : lengths) length = random() % 64 == 0 ? 512 + random() % 1024 : 8 + random() % 33;
  const Column column(lengths, random);
  const RandomAutomaton automaton({6, 4, false, false, true, 6}, random);
  const StringRows rows(column.bytes.data(), column.offsets32.data(), column.rows);
  std::vector<u64> hits((column.rows + 63) / 64);
  for (Target target : supported_targets()) {
    for (Form form : {Form::rows, Form::packed}) {
      const bool one_lane = target == Target::scalar || target == Target::branching;
      if (!offers(target, form, automaton.view()) || one_lane) continue;
      Stats refill, naive;
      RowMatcher(target, form, automaton.view()).match(rows, nullptr, hits.data(), &refill);
      RowMatcher(target, form, automaton.view(), {.refill_below = 1})
          .match(rows, nullptr, hits.data(), &naive);
      EXPECT_GT(refill.occupancy(), 0.9) << name(target);
      EXPECT_LT(naive.occupancy(), 0.75) << name(target);
      EXPECT_EQ(refill.stepped_bytes, rows.offset(rows.count)) << name(target);
      EXPECT_EQ(naive.stepped_bytes, rows.offset(rows.count)) << name(target);
      EXPECT_GT(refill.refills, naive.refills);
    }
  }
}

TEST(MatchNaive, OccupancyIsAsReckonedByHand) {
  constexpr u64 kShort = 16, kLong = 160, kMost = 64;
  const AutomatonView odd = odd_length();
  for (Target target : supported_targets()) {
    for (Form form : {Form::rows, Form::packed}) {
      if (!offers(target, form, odd)) continue;
      const u64 lanes = form == Form::packed            ? target == Target::avx2 ? 32 : 64
                        : target == Target::interleaved ? 4
                        : target == Target::emulated    ? 32
                                                        : 1;
      std::vector<u8> bytes((lanes - 1) * kShort + kLong + kPadding, 'a');
      std::vector<u64> offsets{0};
      for (u64 row = 0; row + 1 < lanes; row++) offsets.push_back(offsets.back() + kShort);
      offsets.push_back(offsets.back() + kLong);
      u64 hits[kMost / 64];
      Stats stats;
      RowMatcher(target, form, odd, {.width = 4, .refill_below = 1})
          .match(StringRows(bytes.data(), offsets.data(), lanes), nullptr, hits, &stats);
      EXPECT_EQ(stats.lane_steps, lanes * kLong) << name(target);
      EXPECT_EQ(stats.live_steps, (lanes - 1) * kShort + kLong) << name(target);
      EXPECT_EQ(stats.stepped_bytes, stats.live_steps) << name(target);
    }
  }
}

TEST(MatchRefill, GivesTheSameRowsAsNaiveInAnyOrder) {
  std::mt19937 random(2);
  const RandomAutomaton automaton({6, 4, true, true, true, 6}, random);
  std::vector<std::vector<u8>> texts(3000);
  for (auto& text : texts) {
    text.resize(random() % 16 == 0 ? 200 + random() % 300 : random() % 40);
    for (u8& byte : text) byte = u8(random());
  }
  for (int order = 0; order < 4; order++) {  // as drawn, by length, reversed, shuffled
    const auto shorter = [](const auto& a, const auto& b) { return a.size() < b.size(); };
    if (order == 1) std::stable_sort(texts.begin(), texts.end(), shorter);
    if (order == 2) std::reverse(texts.begin(), texts.end());
    if (order == 3) std::shuffle(texts.begin(), texts.end(), random);
    std::vector<u8> bytes;
    std::vector<u32> offsets{0};
    std::vector<u64> expected((texts.size() + 63) / 64);
    for (size_t i = 0; i < texts.size(); i++) {
      const u8* const text = texts[i].data();
      expected[i / 64] |= u64(accepts(automaton.view(), text, text + texts[i].size())) << i % 64;
      bytes.insert(bytes.end(), texts[i].begin(), texts[i].end());
      offsets.push_back(u32(bytes.size()));
    }
    bytes.resize(bytes.size() + kPadding);
    for (Target target : supported_targets()) {
      for (Form form : {Form::rows, Form::packed}) {
        if (!offers(target, form, automaton.view())) continue;
        Stats naive, stats;
        for (u32 below : {1, 2, 4, 8, 16, 32, 64}) {
          const RowMatcher matcher(target, form, automaton.view(), {.width = 8, .refill_below = below});
          std::vector<u64> hits(expected.size());
          stats = {};
          matcher.match(StringRows(bytes.data(), offsets.data(), texts.size()), nullptr, hits.data(), &stats);
          ASSERT_EQ(hits, expected) << name(target) << " below " << below << " order " << order;
          if (below == 1) naive = stats;
        }
        const bool one_lane = target == Target::scalar || target == Target::branching;
        const bool by_length = order == 1 || order == 2;  // there is nothing to gain
        if (!one_lane && !by_length) {
          ASSERT_GT(stats.occupancy(), naive.occupancy() + 0.1) << name(target);
        }
      }
    }
  }
}

TEST(RowMatcher, RefusesWhatIsNotOffered) {
  std::mt19937 random(1);
  const RandomAutomaton large({100, 100, false, true, false}, random),
      small({5, 3, false, true, false, 4}, random);
  EXPECT_FALSE(offers(Target::avx512, Form::packed, large.view()));
  EXPECT_FALSE(offers(Target::avx512, Form::rows, small.view()));
  EXPECT_FALSE(offers(Target::scalar, Form::packed, small.view()));
  EXPECT_TRUE(offers(Target::avx2, Form::packed, small.view()));
  EXPECT_THROW(RowMatcher(Target::emulated, Form::packed, large.view()), InternalError);
}

}  // namespace
}  // namespace lanewise::lanes
