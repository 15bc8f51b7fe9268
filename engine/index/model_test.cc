// Random changes and queries, against std::multimap: of an index, of one on emulated lanes, of one on a
// GPU.
#include <gtest/gtest-spi.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <optional>
#include <random>
#include <stdexcept>
#include <string>

#include "base/testing/shrink.h"
#include "base/testing/temporary_folder.h"
#include "base/testing/test_size.h"
#include "index/gpu/search/search_kernels.h"
#include "index/index.h"
#include "index/kernels/strategy.h"
#include "index/testing/device_places.h"

namespace lanewise {
namespace {

using Random = std::mt19937_64;

/// How random keys of a type are made, few enough that many are equal, and passed to an index.
template <class T>
struct Numbers {
  using Key = T;
  std::vector<KeyField> fields;
  uint64_t distinct;

  Key make(Random& random) const {
    const uint64_t k = random() % distinct;
    if (k == 0) return std::numeric_limits<T>::max();
    if (k == 1) return std::numeric_limits<T>::lowest();
    if constexpr (std::is_floating_point_v<T>) {
      return k == 2 ? std::numeric_limits<T>::infinity() : static_cast<T>(static_cast<double>(k) - 100) / 3;
    } else {
      return static_cast<T>(k * 0x9e3779b97f4a7c15);
    }
  }
  template <class F>
  auto with(const std::vector<Key>& keys, F f) const {
    return f(Keys(keys));
  }
};

struct Strings {
  using Key = std::string;
  std::vector<KeyField> fields = {{TypeId::kVarchar}};
  uint64_t distinct = 700;

  Key make(Random& random) const {
    const uint64_t k = random() % distinct;
    std::string text = k % 3 == 0 ? "a common beginning of " : "";
    text += std::string(k % 70 == 0 ? k * 60 : k % 40, k % 2 == 0 ? '\0' : '\xff') + std::to_string(k % 50);
    return k == 0 ? "" : text;
  }
  template <class F>
  auto with(const std::vector<Key>& keys, F f) const {
    const std::vector<std::string_view> views(keys.begin(), keys.end());
    return f(Keys(views));
  }
};

/// Several fields, some of them NULL, which is greater than all values.
template <class... Fields>
struct Composites {
  using Key = std::tuple<std::pair<bool, Fields>...>;  // {is NULL, value}
  std::vector<KeyField> fields;
  uint64_t distinct = 8;

  Key make(Random& random) const {
    Key key;
    size_t f = 0;
    std::apply([&](auto&... field) { (make_field(random, fields[f++].nullable, field), ...); }, key);
    return key;
  }
  template <class F>
  auto with(const std::vector<Key>& keys, F f) const {
    std::vector<ColumnBuilder> builders;
    for (const KeyField& field : fields) builders.emplace_back(field.type);
    for (const Key& key : keys) {
      size_t at = 0;
      std::apply([&](const auto&... field) { (append(builders[at++], field), ...); }, key);
    }
    std::vector<ColumnPtr> columns;
    for (ColumnBuilder& builder : builders) columns.push_back(builder.finish());
    return f(Keys(columns));
  }

 private:
  template <class T>
  void make_field(Random& random, bool nullable, std::pair<bool, T>& field) const {
    const uint64_t k = random() % distinct;
    field.first = nullable && k == 0;
    if (field.first) return;
    if constexpr (std::is_same_v<T, std::string>) {
      field.second = std::string(k % 3, '\0') + std::string(k, 'b');
    } else {
      field.second = static_cast<T>(k - 3);
    }
  }
  template <class T>
  static void append(ColumnBuilder& builder, const std::pair<bool, T>& field) {
    if (field.first) {
      builder.append_null();
    } else if constexpr (std::is_same_v<T, std::string>) {
      builder.append_text(field.second);
    } else {
      builder.append_physical(field.second);
    }
  }
};

/// Where an index is changed and queried. A device's batches are large enough to be worth its work.
enum class Side { kHost, kEmulated, kGpu };

template <class Maker>
class Play {
 public:
  using Key = typename Maker::Key;

  Play(Maker maker, Side side, bool unique, uint32_t leaf_keys, uint32_t inner_keys, uint32_t seed)
      : maker_(std::move(maker)),
        side_(side),
        scale_(side == Side::kGpu ? 100 : 1),
        unique_(unique),
        seed_(seed),
        random_(seed),
        index_(options(leaf_keys, inner_keys)) {}

  /// Each round is the same whichever others run; ends after the first for which `failed`.
  template <class Failed>
  void run(const std::vector<int>& rounds, Failed failed) {
    load();
    upload();
    for (const int round : rounds) {
      if (failed()) return;
      SCOPED_TRACE(testing::Message() << "round " << round);
      random_.seed(uint64_t{seed_} << 32 | static_cast<uint32_t>(round));
      change_somewhere(random_() % (scale_ * (round % 10 == 0 ? 400 : 20)));
      ask();
      if (round % 16 == 0) {
        bring_back();
        index_.verify();
        compare_all();
      }
      if (round % 50 == 49) reopen();
    }
    bring_back();
    index_.verify();
    compare_all();
  }

 private:
  IndexOptions options(uint32_t leaf_keys, uint32_t inner_keys) const {
    IndexOptions made;
    made.key = maker_.fields;
    made.value_bytes = 4;
    made.unique = unique_;
    made.leaf_keys = leaf_keys;
    made.inner_keys = inner_keys;
    made.fill_percent = 70;
    return made;
  }

  std::vector<Key> keys(size_t count) {
    std::vector<Key> made;
    for (size_t i = 0; i < count; ++i) made.push_back(maker_.make(random_));
    return made;
  }
  std::vector<uint32_t> values(size_t count) {
    std::vector<uint32_t> made(count);
    for (uint32_t& value : made) value = static_cast<uint32_t>(random_() % 5);
    return made;
  }

  bool add(const Key& key, uint32_t value) {
    if (unique_ && model_.count(key) != 0) return false;
    model_.emplace(key, value);
    return true;
  }
  bool put(const Key& key, uint32_t value) {
    const auto at = model_.lower_bound(key);
    if (at == model_.end() || model_.key_comp()(key, at->first)) return add(key, value);
    at->second = value;
    return false;
  }

  void load() {
    std::vector<Key> some = keys(random_() % (1500 * scale_));
    if (unique_) {
      std::sort(some.begin(), some.end());
      some.erase(std::unique(some.begin(), some.end()), some.end());
      std::shuffle(some.begin(), some.end(), random_);
    }
    const std::vector<uint32_t> with = values(some.size());
    maker_.with(some, [&](const Keys& batch) { index_.load(batch, with); });
    for (size_t i = 0; i < some.size(); ++i) model_.emplace(some[i], with[i]);
  }

  void upload() {
    device_.reset();
    const auto to = [&](auto where) {
      gpu::Device& device = *where.find_device();
      device_.emplace(index_, device, where.runner(device));
    };
    if (side_ == Side::kEmulated) to(on_devices::Emulated());
    if (side_ == Side::kGpu) to(on_devices::Gpu());
  }
  void bring_back() {
    if (device_) device_->write_back();
  }

  /// On the device, or sometimes on the host, whose changes the device then receives.
  void change_somewhere(size_t count) {
    if (device_ && random_() % 8 != 0) {
      change(*device_, count);
      ASSERT_EQ(device_->size(), model_.size());
      return;
    }
    bring_back();
    change(index_, count);
    ASSERT_EQ(index_.size(), model_.size());
    if (device_) device_->refresh();
  }

  template <class Where>
  void change(Where& where, size_t count) {
    const std::vector<Key> some = keys(count);
    const std::vector<uint32_t> with = values(count);
    const size_t before = model_.size();
    size_t changed = 0;
    const auto result = maker_.with(some, [&](const Keys& batch) -> size_t {
      const uint64_t kind = random_() % 6;
      if (kind < 2) {
        for (size_t i = 0; i < count; ++i) changed += add(some[i], with[i]);
        return where.insert(batch, with);
      }
      if (kind == 2) {
        for (size_t i = 0; i < count; ++i) changed += put(some[i], with[i]);
        return where.upsert(batch, with);
      }
      if (kind == 3) {
        for (size_t i = 0; i < count; i++) changed += model_.erase(some[i]);
        return where.erase(batch);
      }
      if (kind == 4) {
        for (size_t i = 0; i < count; ++i) {
          auto [at, end] = model_.equal_range(some[i]);
          at = std::find_if(at, end, [&](const auto& entry) { return entry.second == with[i]; });
          if (at != end) model_.erase(at), ++changed;
        }
        return where.erase(batch, with);
      }
      std::vector<Index::Change> changes(count);
      for (size_t i = 0; i < count; ++i) {
        changes[i] = static_cast<Index::Change>(random_() % 3);
        if (changes[i] == Index::Change::kErase) {
          changed += model_.erase(some[i]);
        } else {
          changed += changes[i] == Index::Change::kUpsert ? put(some[i], with[i]) : add(some[i], with[i]);
        }
      }
      if (std::is_same_v<Where, DeviceIndex>) changed = model_.size() - before;  // The test detects growth.
      return static_cast<size_t>(where.apply(changes, batch, with.data()));
    });
    ASSERT_EQ(result, changed);
  }

  void ask() {
    const std::vector<Key> some = keys(40), others = keys(40);
    maker_.with(some, [&](const Keys& lows) {
      maker_.with(others, [&](const Keys& highs) {
        if (device_) {
          // On a GPU each is a kernel that must be compiled; device_index*_test.cc cover all of them.
          const std::span<const index::DeviceStrategy> all(index::kDeviceStrategies);
          device_->use_strategy(index::name(all[random_() % (side_ == Side::kGpu ? 2 : all.size())]));
          return compare(*device_, some, others, lows, highs);
        }
        const auto strategies = index::supported_strategies();
        index_.use_strategy(index::name(strategies[random_() % strategies.size()]));
        compare(index_, some, others, lows, highs);
      });
    });
  }

  template <class Where>
  void compare(const Where& where, const std::vector<Key>& some, const std::vector<Key>& others,
               const Keys& lows, const Keys& highs) {
    std::vector<uint32_t> values;
    std::vector<uint64_t> found;
    where.find(lows, values, found);
    const std::vector<uint64_t> counts = where.count(lows), lower = where.lower_bound(lows),
                                within = where.count(lows, highs);
    const IndexRanges ranges = where.range(lows, highs, 50);
    std::vector<const std::pair<const Key, uint32_t>*> entries;
    for (const auto& entry : model_) entries.push_back(&entry);
    const auto below = [&](const Key& key) {
      return static_cast<uint64_t>(std::lower_bound(entries.begin(), entries.end(), key,
                                                    [&](const auto* entry, const Key& sought) {
                                                      return model_.key_comp()(entry->first, sought);
                                                    }) -
                                   entries.begin());
    };
    for (size_t i = 0; i < some.size(); ++i) {
      const uint64_t first = below(some[i]), last = std::max(first, below(others[i]));
      ASSERT_EQ(bits::test(found.data(), i), model_.count(some[i]) != 0);
      if (bits::test(found.data(), i)) {
        ASSERT_EQ(values[i], entries[first]->second);
      }
      ASSERT_EQ(counts[i], model_.count(some[i]));
      ASSERT_EQ(lower[i], first);
      ASSERT_EQ(within[i], last - first);
      ASSERT_EQ(ranges.offsets[i + 1] - ranges.offsets[i], std::min<uint64_t>(last - first, 50));
      ASSERT_EQ(bits::test(ranges.cut.data(), i), last - first > 50);
      for (uint64_t e = ranges.offsets[i], at = first; e < ranges.offsets[i + 1]; ++e, ++at) {
        ASSERT_EQ(ranges.entries.values.template as<uint32_t>()[e], entries[at]->second);
      }
    }
  }

  /// All entries: values in order, and keys that find themselves.
  void compare_all() {
    const IndexEntries all = index_.at(0, model_.size() + 1);
    ASSERT_EQ(all.count, model_.size());
    size_t i = 0;
    for (const auto& entry : model_) ASSERT_EQ(all.values.as<uint32_t>()[i++], entry.second);
    const std::vector<uint64_t> positions =
        all.count == 0 ? std::vector<uint64_t>() : index_.lower_bound(Keys(all.key));
    i = 0;
    for (auto at = model_.begin(); at != model_.end();) {
      const size_t first = i;
      for (const auto end = model_.upper_bound(at->first); at != end; ++at) ASSERT_EQ(positions[i++], first);
    }
  }

  void reopen() {
    bring_back();
    const std::string path = folder_.file("index");
    if (random_() % 2 == 0 || !saved_) {
      index_.save(path);
      saved_ = true;
    } else {
      index_.commit();
    }
    device_.reset();
    {
      const Index closed = std::move(index_);
    }
    index_ = Index::open(path, Index::Mode::kWrite);
    upload();
  }

  Maker maker_;
  Side side_;
  size_t scale_;
  bool unique_;
  uint32_t seed_;
  Random random_;
  Index index_;
  std::optional<DeviceIndex> device_;
  std::multimap<Key, uint32_t> model_;
  TemporaryFolder folder_;
  bool saved_ = false;
};

/// Does `test` fail? Its reports are dropped.
template <class Test>
bool fails(Test test) {
  testing::TestPartResultArray reported;
  const testing::ScopedFakeTestPartResultReporter instead(
      testing::ScopedFakeTestPartResultReporter::INTERCEPT_ONLY_CURRENT_THREAD, &reported);
  try {
    test([&] { return reported.size() != 0; });
  } catch (const std::exception&) {
    return true;
  }
  return reported.size() != 0;
}

/// Runs the rounds and, if one fails, searches for the fewest that still fail.
template <class Maker>
void play(const Maker& maker, Side side) {
  uint32_t seed = 1;
  // 60 rounds of a GPU's large batches are 10^7 changes in total, as are 4,000 of the others.
  std::vector<int> all(side == Side::kGpu    ? test_size<size_t>(4, 12, 60)
                       : side == Side::kHost ? test_size<size_t>(12, 120, 4000)
                                             : test_size<size_t>(4, 40, 4000));
  std::iota(all.begin(), all.end(), 0);
  for (const bool unique : {false, true}) {
    for (const auto& sizes : {std::pair(4u, 3u), {7u, 5u}, {16u, 16u}, {0u, 0u}, {2047u, 1023u}}) {
      const auto run = [&](const std::vector<int>& rounds, auto failed) {
        Play<Maker>(maker, side, unique, sizes.first, sizes.second, seed).run(rounds, failed);
      };
      const auto does_fail = [&](const std::vector<int>& rounds) {
        return fails([&](auto failed) { run(rounds, failed); });
      };
      if (does_fail(all)) {
        const std::vector<int> few = shrink(all, does_fail);
        SCOPED_TRACE(testing::Message() << "unique " << unique << ", keys of a leaf " << sizes.first
                                        << ", seed " << seed << ", rounds " << testing::PrintToString(few));
        run(few, [] { return testing::Test::HasFailure(); });
        ADD_FAILURE() << "these rounds, of " << all.size();
        return;
      }
      ++seed;
    }
  }
}

TEST(Shrink, LeavesWhatMatters) {
  const auto shrunk = [](size_t count, const std::vector<int>& matter) {
    std::vector<int> steps(count);
    std::iota(steps.begin(), steps.end(), 0);
    return shrink(steps, [&](const std::vector<int>& some) {
      return std::includes(some.begin(), some.end(), matter.begin(), matter.end());
    });
  };
  for (const auto& matter : {std::vector<int>{}, {0}, {99}, {3, 77}, {0, 1, 2}, {10, 20, 30, 40, 99}}) {
    EXPECT_EQ(shrunk(100, matter), matter);
  }
  EXPECT_EQ(shrunk(0, {}), std::vector<int>());
  EXPECT_EQ(shrunk(1, {0}), std::vector<int>{0});
}

TEST(Shrink, FailuresAreSeenAndNotReported) {
  EXPECT_TRUE(fails([](auto) { ADD_FAILURE(); }));
  EXPECT_TRUE(fails([](auto) { throw std::runtime_error("a fault"); }));
  EXPECT_FALSE(fails([](auto failed) { EXPECT_FALSE(failed()); }));
}

class Model : public testing::TestWithParam<Side> {
 protected:
  void SetUp() override {
    if (GetParam() == Side::kGpu && on_devices::Gpu::find_device() == nullptr) {
      GTEST_SKIP() << "no GPU here, or no compiler for it";
    }
  }
};
std::string name_of(const testing::TestParamInfo<Side>& of) {
  return of.param == Side::kHost ? "Host" : of.param == Side::kEmulated ? "Emulated" : "Gpu";
}
INSTANTIATE_TEST_SUITE_P(On, Model, testing::Values(Side::kHost, Side::kEmulated, Side::kGpu), name_of);

TEST_P(Model, UInt32) { play(Numbers<uint32_t>{{{TypeId::kUInt32}}, 900}, GetParam()); }
TEST_P(Model, AllEqual) { play(Numbers<uint32_t>{{{TypeId::kUInt32}}, 2}, GetParam()); }
TEST_P(Model, Int32) { play(Numbers<int32_t>{{{TypeId::kDate}}, 900}, GetParam()); }
TEST_P(Model, UInt64) { play(Numbers<uint64_t>{{{TypeId::kUInt64}}, 900}, GetParam()); }
TEST_P(Model, Int64) { play(Numbers<int64_t>{{{Type::decimal(18, 2)}}, 900}, GetParam()); }
TEST_P(Model, Float32) { play(Numbers<float>{{{TypeId::kFloat32}}, 900}, GetParam()); }
TEST_P(Model, Float64) { play(Numbers<double>{{{TypeId::kFloat64}}, 900}, GetParam()); }
TEST_P(Model, Strings) { play(Strings(), GetParam()); }
TEST_P(Model, Small) {
  play(Composites<int16_t, int8_t>{{{TypeId::kInt16, true}, {TypeId::kInt8}}, 30}, GetParam());
}
TEST_P(Model, Wide) {
  play(
      Composites<int64_t, int128_t, uint64_t>{
          {{TypeId::kInt64, true}, {TypeId::kInt128}, {TypeId::kUInt64, true}}},
      GetParam());
}
TEST_P(Model, Uuids) { play(Composites<int128_t>{{{TypeId::kUuid}}}, GetParam()); }
TEST_P(Model, UuidsAndTimes) {
  play(Composites<int128_t, int64_t>{{{TypeId::kUuid, true}, {TypeId::kTimeNs}}}, GetParam());
}
TEST_P(Model, Mixed) {
  play(
      Composites<std::string, int32_t, std::string>{
          {{TypeId::kVarchar, true}, {TypeId::kInt32, true}, {TypeId::kBlob, false}}},
      GetParam());
}

}  // namespace
}  // namespace lanewise
