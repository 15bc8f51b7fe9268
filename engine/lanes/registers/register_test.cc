#include <gtest/gtest.h>

#include <cctype>
#include <random>

#include "lanes/automata/byte_classes.h"
#include "lanes/targets/target.h"
#include "lanes/testing/register_ops-inl.h"

namespace lanewise::lanes {
namespace {

struct Case {
  Target target;
  const RegisterOps& ops;
  const LookUps& look_ups;
};

/// Each operation against a loop over lanes, on random bytes and on the extreme ones.
class RegisterTest : public ::testing::TestWithParam<Case> {
 protected:
  void SetUp() override {
    if (!supported(GetParam().target)) GTEST_SKIP() << name(GetParam().target) << " is not supported here";
  }
  void draw() {
    for (auto* bytes : {a, b, c}) {
      for (u32 k = 0; k < 64; k++) {
        const u8 edges[] = {0, 1, 15, 16, 17, 127, 128, 129, 254, 255};
        bytes[k] = random() % 2 ? u8(random()) : edges[random() % 10];
      }
    }
    mask = u64(random()) << 32 | random();
    if (lanes < 64) mask &= (u64(1) << lanes) - 1;
    for (u32 k = 0; k < 64; k++) {
      at[k] = random() % 300;
      end[k] = at[k] + random() % 40 + (random() % 8 ? 0 : 0xfffffff0 - 400);
      to[k] = random();
    }
  }
  /// Is lane k of `out` f(k), for all lanes?
  template <class F>
  void expect(F f) {
    for (u32 k = 0; k < lanes; k++) ASSERT_EQ(out[k], u8(f(k))) << "lane " << k;
  }
  /// Is bit k of `bits` f(k) for all lanes, with no other bits set?
  template <class F>
  void expect_bits(u64 bits, F f) {
    for (u32 k = 0; k < 64; k++) ASSERT_EQ(bits >> k & 1, k < lanes && f(k)) << "lane " << k;
  }

  const RegisterOps& ops = GetParam().ops;
  const u32 lanes = GetParam().ops.lanes;
  std::mt19937 random{3};
  u8 a[64], b[64], c[64], out[64];
  u64 mask;
  alignas(64) u32 at[64], end[64], to[64];
};

constexpr int kRounds = 200;

TEST_P(RegisterTest, Bytes) {
  for (int round = 0; round < kRounds; round++) {
    draw();
    ops.splat(a[0], out), expect([&](u32) { return a[0]; });
    ops.copy(a, out), expect([&](u32 k) { return a[k]; });
    ops.add(a, b, out), expect([&](u32 k) { return a[k] + b[k]; });
    ops.subtract(a, b, out), expect([&](u32 k) { return a[k] - b[k]; });
    ops.both(a, b, out), expect([&](u32 k) { return a[k] & b[k]; });
    ops.larger(a, b, out), expect([&](u32 k) { return std::max(a[k], b[k]); });
    expect_bits(ops.equal(a, b), [&](u32 k) { return a[k] == b[k]; });
    expect_bits(ops.greater(a, b), [&](u32 k) { return a[k] > b[k]; });
    ops.select(mask, a, b, out), expect([&](u32 k) { return mask >> k & 1 ? a[k] : b[k]; });
    for (u8 j = 0; j < 16; j++) {
      ops.step_if_more(a, j, b, c, out), expect([&](u32 k) { return a[k] > j ? b[k] : c[k]; });
    }
  }
}

TEST_P(RegisterTest, Zips) {
  for (int round = 0; round < kRounds; round++) {
    draw();
    const auto zip = [&](u32 k, u32 half) {
      const u8* from = k % 2 ? &b[0] : &a[0];
      return from[k / 16 * 16 + half + k % 16 / 2];
    };
    ops.zip_low(a, b, out), expect([&](u32 k) { return zip(k, 0); });
    ops.zip_high(a, b, out), expect([&](u32 k) { return zip(k, 8); });
  }
}

TEST_P(RegisterTest, RowsOfLanes) {
  std::vector<u8> bytes(400);
  for (u8& byte : bytes) byte = u8(random());
  for (int round = 0; round < kRounds; round++) {
    draw();
    ops.pieces(bytes.data(), at, out), expect([&](u32 k) { return bytes[at[k / 16 * 16] + k % 16]; });
    ops.remaining(at, end, out), expect([&](u32 k) { return std::min(end[k] - at[k], 255u); });
    u32 before[64];
    std::copy_n(at, 64, before);
    ops.advance(at, end);
    for (u32 k = 0; k < lanes; k++) ASSERT_EQ(at[k], before[k] + std::min(end[k] - before[k], 16u)) << k;
  }
}

TEST_P(RegisterTest, Expansions) {
  for (int round = 0; round < kRounds; round++) {
    draw();
    if (round < 3) mask = round == 0 ? 0 : round == 1 ? u64(1) << (lanes - 1) : ~u64(0) >> (64 - lanes);
    u32 from32[64], before[64];
    u64 from64[64];
    const u64 base = (u64(1) << 40) + 77;
    for (u32 k = 0; k < 64; k++) {
      from32[k] = 100 + random() % 1000;
      from64[k] = base + random();
    }
    std::copy_n(to, 64, before);
    const auto check = [&](auto value) {
      u32 rank = 0;
      for (u32 k = 0; k < lanes; k++) {
        ASSERT_EQ(to[k], mask >> k & 1 ? u32(value(rank)) : before[k]) << k;
        rank += mask >> k & 1;
      }
      std::copy_n(before, 64, to);
    };
    ops.expand32(to, mask, from32, 100), check([&](u32 i) { return from32[i] - 100; });
    ops.expand64(to, mask, from64, base), check([&](u32 i) { return from64[i] - base; });
    ops.expand_numbers(to, mask, 0xfffffff0), check([&](u32 i) { return 0xfffffff0 + i; });
  }
}

TEST_P(RegisterTest, LookUps) {
  const LookUps& look_ups = GetParam().look_ups;
  PackedTable table{};
  for (int round = 0; round < kRounds; round++) {
    draw();
    for (u8& entry : table.next) entry = u8(random());
    for (u32 i = 0; i < 4; i++) {
      if (!look_ups.next[i]) continue;
      table.has_halves = i == 3;
      const u32 size = std::min(64u << i, 256u);
      u8 state[64], cls[64];
      for (u32 k = 0; k < 64; k++) {
        const u32 index = a[k] % size;
        cls[k] = u8(index ? b[k] % index : 0) % PackedTable::kSecondHalf;
        state[k] = u8(index - cls[k]);
        if (table.has_halves && c[k] % 2) cls[k] |= PackedTable::kSecondHalf;
      }
      look_ups.next[i](table, state, cls, out), expect([&](u32 k) {
        return table
            .next[(table.has_halves && cls[k] >= PackedTable::kSecondHalf ? 256 : 0) + u8(state[k] + cls[k])];
      });
    }
    table.runs = 1 + round % 16;
    for (u32 r = 0; r < 16; r++) table.run_class[r] = u8(random() % 16);
    for (u32 i = 0; i < 256; i++) {
      const u32 run = i * table.runs / 256;
      if (i && run != (i - 1) * table.runs / 256) table.run_start[run - 1] = u8(i + 128);
      table.class_of[u8(i + 128)] = table.run_class[run];
    }
    look_ups.classes(table, a, out), expect([&](u32 k) { return table.class_of[a[k]]; });
  }
  std::fill(table.class_of + 128, table.class_of + 256, u8(9));
  for (u32 i = 0; i < 128; i++) table.class_of[i] = u8(i / 20);
  table.runs = 1;
  table.run_class[0] = 9;
  for (u32 i = 0; i < 128; i += 20)
    table.run_start[table.runs - 1] = u8(i), table.run_class[table.runs++] = u8(i / 20);
  for (int round = 0; round < kRounds; round++) {
    draw();
    look_ups.uniform_high_classes(table, a, out), expect([&](u32 k) { return table.class_of[a[k]]; });
  }
}

/// Maps of which some have codes: up to five patterns of high halves, some of one class.
TEST_P(RegisterTest, Codes) {
  PackedTable table{};
  u32 coded[1 + PackedTable::kLayers] = {};
  const auto check = [&] {
    find_codes(table.class_of, table);
    coded[table.code_layers]++;
    if (!table.code_layers) return;
    for (u32 byte = 0; byte < 256; byte++) {
      u8 found = 0;
      for (const PackedTable::Codes& codes : table.codes)
        found ^= codes.classes[codes.of_low[byte % 16] & codes.of_high[byte / 16]];
      ASSERT_EQ(found, table.class_of[byte]) << byte;
    }
    GetParam().look_ups.coded_classes(table, a, out), expect([&](u32 k) { return table.class_of[a[k]]; });
  };
  for (int round = 0; round < 2 * kRounds; round++) {
    draw();
    const u32 patterns = 1 + random() % 5, classes = 1 + random() % 7;
    u8 class_of[5][16];
    for (auto& pattern : class_of) {
      const u8 usual = u8(random() % classes);
      const u32 mixed = random() % 3;
      for (u8& one : pattern) one = mixed && random() % 3 == 0 ? u8(random() % classes) : usual;
    }
    for (u32 high = 0; high < 16; high++)
      std::copy_n(class_of[random() % patterns], 16, &table.class_of[16 * high]);
    check();
  }
  for (u32 layers = 0; layers <= PackedTable::kLayers; layers++) EXPECT_GT(coded[layers], 0u) << layers;
  // Letters and digits share bits between upper and lower case: three bits in all.
  for (u32 byte = 0; byte < 256; byte++) table.class_of[byte] = byte < 128 && std::isalnum(int(byte)) ? 1 : 0;
  check();
  EXPECT_EQ(table.code_layers, 1u);
  for (u32 byte = 0; byte < 256; byte++) table.class_of[byte] = u8(byte % 16);
  check();
  EXPECT_EQ(table.code_layers, 1u);
  for (u32 byte = 0; byte < 256; byte++) table.class_of[byte] = u8(byte);
  check();
  EXPECT_EQ(table.code_layers, 0u);
}

/// All kinds of a byte are found, and no others where halves of bytes distinguish kinds and all are required.
TEST_P(RegisterTest, Kinds) {
  const LookUps& look_ups = GetParam().look_ups;
  for (int round = 0; round < kRounds; round++) {
    draw();
    const bool uniform = round % 2, exact = round % 4 < 2;
    u16 lows[8], highs[8];
    for (u32 kind = 0; kind < 8; kind++) lows[kind] = u16(random()), highs[kind] = u16(random());
    if (uniform) {
      for (u16& high : highs) high &= 0xff;
    }
    KindTable table{};
    for (u32 byte = 0; byte < 256; byte++) {
      for (u32 kind = 0; kind < 8; kind++) {
        const bool has = exact ? (lows[kind] >> byte % 16 & 1) && (highs[kind] >> byte / 16 & 1)
                               : (byte < 128 || !uniform) && random() % 8 == 0;
        table.of_byte[byte] |= u8(has << kind);
      }
    }
    table.finish();
    if (uniform) {
      ASSERT_TRUE(table.high_is_uniform);
    }
    const auto kinds_of = [&](u32 k) { return table.of_byte[a[k]]; };
    look_ups.kinds(table, a, out);
    for (u32 k = 0; k < lanes; k++) ASSERT_EQ(out[k] & kinds_of(k), kinds_of(k)) << int(a[k]);
    if (!exact) continue;
    look_ups.exact_kinds(table, a, out), expect(kinds_of);
    if (uniform) look_ups.uniform_high_kinds(table, a, out), expect(kinds_of);
  }
}

const Case kCases[] = {{Target::emulated, kEmulatedRegister, kEmulatedLookUps},
#if defined(__x86_64__)
                       {Target::avx2, kAvx2Register, kAvx2LookUps},
                       {Target::avx512, kAvx512Register, kAvx512LookUps}
#elif defined(__aarch64__)
                       {Target::neon, kNeonRegister, kNeonLookUps}
#endif
};
INSTANTIATE_TEST_SUITE_P(All, RegisterTest, ::testing::ValuesIn(kCases),
                         [](const auto& each) { return std::string(name(each.param.target)); });

}  // namespace
}  // namespace lanewise::lanes
