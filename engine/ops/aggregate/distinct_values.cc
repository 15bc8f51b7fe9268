#include "ops/aggregate/distinct_values.h"

#include <algorithm>
#include <numeric>
#include <vector>

#include "primitives/grouping.h"

namespace lanewise::ops {

namespace {

constexpr size_t kBlock = 2048;  // pairs handled at a time

std::vector<Type> pair_types(const plan::AggregateCall& call) {
  std::vector<Type> types = {TypeId::kUInt32};
  for (const ExprPtr& arg : call.args) types.push_back(arg->type);
  for (const plan::SortKey& key : call.order) types.push_back(key.expr->type);
  return types;
}

/// Pairs of a group and a value of it, each once.
class DistinctValues : public Accumulator {
 public:
  DistinctValues(const AggregateFunction& function, const plan::AggregateCall& call, MemoryBudget* budget)
      : function_(function),
        call_(call),
        budget_(budget),
        pairs_(pair_types(call), budget, kGroupBy),
        starts_(budget, kGroupBy),
        by_group_(budget, kGroupBy),
        scratch_(budget, kGroupBy) {}

  void resize(uint32_t groups) override { groups_ = groups; }

  void update(const AggregateInput& input) override {
    target_ = input.target;
    const ActiveSet rows = present(input);
    Arena& arena = rows.arena();
    std::vector<Vector> keys = {input.groups != nullptr ? numbers(input.groups) : constant(zero(), arena)};
    keys.insert(keys.end(), input.args.begin(), input.args.end());
    keys.insert(keys.end(), input.order.begin(), input.order.end());
    pairs_.find_or_add(keys, rows, arena.allocate<uint32_t>(rows.rows()));
  }

  void merge(const Accumulator& other, std::span<const uint32_t> from, const uint32_t* to) override {
    const auto& theirs = static_cast<const DistinctValues&>(other);
    target_ = theirs.target_;
    theirs.for_each_block(
        from, to, [&](const std::vector<Vector>& values, const uint32_t* groups, const ActiveSet& rows) {
          std::vector<Vector> keys = {numbers(groups)};
          keys.insert(keys.end(), values.begin(), values.end());
          scratch_.resize(rows.rows());
          pairs_.find_or_add(keys, rows, scratch_.data());
        });
  }

  /// Sorts the pairs by group.
  void seal() override {
    std::vector<uint32_t> all(pairs_.size());
    std::iota(all.begin(), all.end(), 0);
    const ColumnPtr groups = pairs_.column(0, all);
    const auto* group_of = groups->values.as<uint32_t>();
    starts_.resize(size_t{groups_} + 2);  // starts_[g + 1] is where g begins until its pairs have been put
    std::fill_n(starts_.data(), starts_.size(), 0);
    for (const uint32_t pair : all) ++starts_[group_of[pair] + 2];
    for (size_t group = 2; group < starts_.size(); ++group) starts_[group] += starts_[group - 1];
    by_group_.resize(all.size());
    for (const uint32_t pair : all) by_group_[starts_[group_of[pair] + 1]++] = pair;
  }

  ColumnPtr finish(uint32_t first, uint32_t count, const Cancellation* cancellation) const override {
    const std::unique_ptr<Accumulator> inner = function_.make(call_, budget_);
    inner->resize(count);
    std::vector<uint32_t> from(count);
    std::vector<uint32_t> to(count);
    std::iota(from.begin(), from.end(), first);
    std::iota(to.begin(), to.end(), 0);
    uint64_t block = 0;
    for_each_block(from, to.data(),
                   [&](const std::vector<Vector>& values, const uint32_t* groups, const ActiveSet& rows) {
                     if (cancellation != nullptr) cancellation->check();
                     const std::span<const Vector> all(values);
                     inner->update({all.first(call_.args.size()), all.subspan(call_.args.size()), rows,
                                    groups, block++, false, target_});
                   });
    inner->seal();
    return inner->finish(0, count, cancellation);
  }

 private:
  static Value zero() { return {TypeId::kUInt32, uint128_t{0}}; }
  static Vector numbers(const uint32_t* groups) {
    Vector vector;
    vector.type = TypeId::kUInt32;
    vector.values = groups;
    return vector;
  }

  /// Calls f(values, groups, rows) for the pairs of groups from[...], some at a time: the values without the
  /// group, and the group's number in `to` instead.
  template <class F>
  void for_each_block(std::span<const uint32_t> from, const uint32_t* to, F f) const {
    Arena arena(budget_, kGroupBy);
    std::vector<uint32_t> pairs;
    std::vector<uint32_t> groups;
    const auto flush = [&] {
      if (pairs.empty()) return;
      arena.reset();
      std::vector<ColumnPtr> columns;
      std::vector<Vector> values;
      for (size_t key = 1; key <= call_.args.size() + call_.order.size(); ++key) {
        columns.push_back(pairs_.column(key, pairs));
        values.push_back(slice(*columns.back(), 0, static_cast<uint32_t>(pairs.size()), arena));
      }
      f(values, groups.data(), ActiveSet(static_cast<uint32_t>(pairs.size()), arena));
      pairs.clear();
      groups.clear();
    };
    for (size_t i = 0; i < from.size(); ++i) {
      for (uint32_t at = starts_[from[i]]; at < starts_[from[i] + 1]; ++at) {
        pairs.push_back(by_group_[at]);
        groups.push_back(to[i]);
        if (pairs.size() == kBlock) flush();
      }
    }
    flush();
  }

  const AggregateFunction& function_;
  plan::AggregateCall call_;
  MemoryBudget* budget_;
  uint32_t groups_ = 0;
  lanes::Target target_ = lanes::Target::scalar;
  Grouping pairs_;
  BufferBuilder<uint32_t> starts_;  // by group
  BufferBuilder<uint32_t> by_group_;
  BufferBuilder<uint32_t> scratch_;
};

}  // namespace

std::unique_ptr<Accumulator> make_distinct_values(const AggregateFunction& function,
                                                  const plan::AggregateCall& call, MemoryBudget* budget) {
  return std::make_unique<DistinctValues>(function, call, budget);
}

}  // namespace lanewise::ops
