#include "ops/join/pairs.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>

namespace lanewise::ops::pairs {  // names used only here, for unity builds
namespace {

using lanes::PairForm;
using Pair = std::pair<uint32_t, uint32_t>;

/// Rows in a shuffled order, or in the order of places.
class Shuffled : public Lookup {
 public:
  Shuffled(uint32_t rows, bool shuffled) : Lookup({}) {
    order_ = Buffer::allocate(rows * sizeof(uint32_t), nullptr, kJoin);
    auto* const order = order_.mutable_as<uint32_t>();
    std::iota(order, order + rows, 0);
    if (shuffled) std::shuffle(order, order + rows, std::mt19937(2));
  }
  void find(std::span<const Vector>, const ActiveSet&, Runs) const override {}
  std::string name() const override { return "shuffled"; }
  size_t bytes() const override { return 0; }
};

struct Case {
  std::vector<uint32_t> counts, firsts;
  std::vector<uint64_t> active;
  Build build;

  Case(std::vector<uint32_t> rows, bool has_lookup, bool shuffled) : counts(std::move(rows)) {
    active.resize(counts.size() / 64 + 1);
    uint32_t total = 0;
    for (size_t row = 0; row < counts.size(); ++row) {
      if (row % 5 != 3) bits::set(active.data(), row);
      firsts.push_back(total);
      total += counts[row];
    }
    build.rows = total;
    if (has_lookup) build.lookup = std::make_unique<Shuffled>(total, shuffled);
    build.in_order = has_lookup && !shuffled;
  }

  std::vector<Pair> expected(const std::vector<uint64_t>& done) const {
    std::vector<Pair> pairs;
    for (uint32_t row = 0; row < counts.size(); ++row) {
      if (!bits::test(active.data(), row) || bits::test(done.data(), row)) continue;
      for (uint32_t i = 0; i < counts[row]; ++i) pairs.emplace_back(row, build.row(firsts[row] + i));
    }
    std::sort(pairs.begin(), pairs.end());
    return pairs;
  }
};

EvalContext context_of(lanes::Target target, PairForm form, Arena& arena) {
  EvalContext context;
  context.arena = &arena;
  context.target = target;
  context.tuning.pairs = form;
  return context;
}

std::vector<std::vector<uint32_t>> shapes() {
  std::vector<std::vector<uint32_t>> shapes = {{}, {0, 0}, {3}, {3000, 0, 1}};
  std::mt19937 random(5);
  for (const uint32_t most : {2, 17, 40}) {
    std::vector<uint32_t>& counts = shapes.emplace_back(300);
    for (uint32_t& count : counts) count = random() % 50 == 0 ? 300 : random() % most;
  }
  return shapes;
}

template <class F>
void for_each_case(F f) {
  for (const auto& counts : shapes()) {
    for (const int lookup : {0, 1, 2}) {
      const Case one(counts, lookup != 0, lookup == 2);
      for (const lanes::Target target : lanes::supported_targets()) {
        for (const PairForm form : lanes::kPairForms) {
          for (const uint32_t most : {1, 7, 8192}) {
            if (most == 1 && form != PairForm::refill) continue;
            f(one, target, form, most);
          }
        }
      }
    }
  }
}

TEST(Pairs, AllOfActiveRows) {
  for_each_case([](const Case& in, lanes::Target target, PairForm form, uint32_t most) {
    Arena arena(nullptr, kJoin);
    EvalContext context = context_of(target, form, arena);
    lanes::Stats stats;
    context.lanes = &stats;
    ActiveSet active(static_cast<uint32_t>(in.counts.size()), arena);
    active.narrow(in.active.data());
    auto firsts = in.firsts, counts = in.counts;
    Pairs pairs(in.build, active, {firsts.data(), counts.data()}, context);
    std::vector<uint32_t> rows(most + Pairs::kPadding), matches(rows.size());
    std::vector<Pair> found;
    while (const uint32_t count = pairs.next(most, rows.data(), matches.data(), nullptr, context)) {
      ASSERT_LE(count, most);
      for (uint32_t i = 0; i < count; ++i) found.emplace_back(rows[i], matches[i]);
    }
    std::sort(found.begin(), found.end());
    ASSERT_EQ(found, in.expected(std::vector<uint64_t>(in.active.size())))
        << lanes::name(target) << " " << lanes::name(form) << " " << most;
    ASSERT_EQ(stats.live_steps, found.size());
    ASSERT_LE(stats.live_steps, stats.lane_steps);
  });
}

/// Every seventh row is done at the beginning, every third becomes done with its first pair.
TEST(Pairs, RowsThatAreDone) {
  for_each_case([](const Case& in, lanes::Target target, PairForm form, uint32_t most) {
    Arena arena(nullptr, kJoin);
    EvalContext context = context_of(target, form, arena);
    ActiveSet active(static_cast<uint32_t>(in.counts.size()), arena);
    active.narrow(in.active.data());
    std::vector<uint64_t> done(in.active.size());
    for (uint32_t row = 0; row < in.counts.size(); row += 7) bits::set(done.data(), row);
    const auto first_done = done;
    auto firsts = in.firsts, counts = in.counts;
    Pairs pairs(in.build, active, {firsts.data(), counts.data()}, context);
    std::vector<uint32_t> rows(most + Pairs::kPadding), matches(rows.size());
    std::vector<Pair> found;
    while (const uint32_t count = pairs.next(most, rows.data(), matches.data(), done.data(), context)) {
      for (uint32_t i = 0; i < count; ++i) {
        ASSERT_FALSE(bits::test(first_done.data(), rows[i]));
        found.emplace_back(rows[i], matches[i]);
        if (rows[i] % 3 == 0) bits::set(done.data(), rows[i]);
      }
    }
    std::sort(found.begin(), found.end());
    const std::vector<Pair> all = in.expected(first_done), sure = in.expected(done);
    ASSERT_TRUE(std::includes(found.begin(), found.end(), sure.begin(), sure.end()));
    ASSERT_TRUE(std::includes(all.begin(), all.end(), found.begin(), found.end()));
    for (const auto& [row, match] : all) ASSERT_EQ(row % 3 == 0, bits::test(done.data(), row));
  });
}

}  // namespace
}  // namespace lanewise::ops::pairs
