// Tables of groups that many threads of a GPU, a real one or the emulated one, fill at the same time.
#include <gtest/gtest.h>

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "codegen/kernel_text.h"
#include "gpu/modules/kernels.h"
#include "gpu/testing/gpu.h"

namespace lanewise::ops {
namespace group_races_test {

/// SELECT key, count(*) GROUP BY key. In each round, all threads look for the same few new keys.
constexpr char kKernel[] = R"(
#include "ops/aggregate/gpu/groups/groups-inl.h"

using namespace lanewise;
using namespace lanewise::kernel;

struct Slot {
  u32 tag, nulls;
  Key<KEY> k0;
  CountCell c0;

  LANES_FN u64 hash() const { return k0.hash(nulls); }
  template <bool kShared>
  LANES_FN bool same(u64 first, const Slot& held) const { return k0.same<kShared>(first, held.k0); }
  template <bool kShared>
  LANES_FN void take_key(const Slot& from) {
    write<kShared>(nulls, from.nulls);
    k0.take<kShared>(from.k0);
  }
  static constexpr u32 kTexts = 0;
  static constexpr bool kMakesTexts = false;
};
static_assert(sizeof(Slot) == SLOT);

struct FillJob {
  u64 slots, mask, rounds;
};

extern "C" __global__ void fill(const __grid_constant__ FillJob job) {
  const SlotTable<Slot, false> table{reinterpret_cast<u8*>(job.slots), job.mask, STRIDE, u32(job.mask + 1)};
  for (u64 round = 0; round < job.rounds; round++) {
    Slot wanted{};
    wanted.k0.set(KEY(round * 3 + threadIdx.x % 3 + 1) * FACTOR);
    const u64 hash = last_mix(hash_of(wanted));
    Slot* found = table.find(~0u, wanted, 0, hash, hash, [] { return true; });
    CountCell one{};
    one.set();
    found->c0.merge<false>(one);
  }
}
)";

struct FillJob {
  uint64_t slots, mask, rounds;
};

class GroupRaces : public gpu::GpuTest {
 protected:
  GroupRaces() : GpuTest(LANEWISE_SOURCE_DIR) {}

  /// Keys of `key_words` words, the first of which is `factor` times a number.
  void fill(const std::string& key_type, size_t key_words, uint64_t factor) {
    constexpr uint64_t kRounds = 400, kSlots = 4096, kBlocks = 24, kThreads = 96;
    const size_t slot_words = 2 + key_words, stride_words = (slot_words + 1) / 2 * 2;
    std::string text = kKernel;
    const auto replace = [&](const std::string& name, const std::string& by) {
      for (size_t at = 0; (at = text.find(name, at)) != std::string::npos; at += by.size())
        text.replace(at, name.size(), by);
    };
    replace("KEY", key_type);
    replace("SLOT", std::to_string(slot_words * 8));
    replace("STRIDE", std::to_string(stride_words * 8));
    replace("FACTOR", key_type + "(" + std::to_string(factor) + ")");
    const gpu::Module module = gpu::build(*gpu_, codegen::kernel_source(text)).module;
    for (int again = 0; again < 3; ++again) {
      const gpu::DeviceBuffer slots = upload(std::vector<uint64_t>(kSlots * stride_words));
      module.kernel("fill").launch(*stream_, {.blocks = kBlocks, .threads = kThreads},
                                   FillJob{slots.address(), kSlots - 1, kRounds});
      const auto words = fetch<uint64_t>(slots, kSlots * stride_words);
      std::map<uint64_t, uint64_t> counts;
      for (size_t slot = 0; slot < kSlots; ++slot) {
        const uint64_t* const at = &words[slot * stride_words];
        if (at[0] == 0) continue;
        EXPECT_EQ(at[1] % factor, 0u);
        const bool is_new = counts.emplace(at[1] / factor, at[slot_words - 1]).second;
        EXPECT_TRUE(is_new) << "two slots have the key " << at[1];
      }
      EXPECT_EQ(counts.size(), kRounds * 3);
      for (const auto& [key, count] : counts) ASSERT_EQ(count, kBlocks * kThreads / 3) << "key " << key;
    }
  }
};

TEST_F(GroupRaces, EachKeyHasOneSlot) {
  fill("i64", 1, 1);
  fill("i64", 1, uint64_t{1} << 32);
  fill("i128", 2, 1);
  fill("i128", 2, (uint64_t{1} << 32) + 1);
}

}  // namespace group_races_test
}  // namespace lanewise::ops
