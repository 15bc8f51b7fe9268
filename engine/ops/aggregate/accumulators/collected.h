#pragma once

#include <cstdint>
#include <ranges>
#include <span>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "ops/aggregate/accumulators/accumulator.h"
#include "ops/aggregate/accumulators/kept_text.h"
#include "ops/aggregate/accumulators/position.h"
#include "ops/aggregate/accumulators/states.h"
#include "plan/node.h"
#include "primitives/groups/byte_store.h"
#include "primitives/sort/sort_keys.h"

namespace lanewise::ops {

/// All values of all groups, for aggregates that need them together: quantiles, mode, string_agg.
class Collected {
 public:
  /// Values of `type`. With `ordered`, the rows of a group can be sorted by the keys, then by
  /// the input.
  Collected(Type type, bool ordered, const std::vector<Type>& key_types,
            std::vector<SortDirection> directions, MemoryBudget* budget);

  void resize(uint32_t groups) { groups_ = groups; }
  /// Adds args[0] of `rows`; none is NULL.
  void add(const AggregateInput& input, const ActiveSet& rows);
  void merge(const Collected& other, std::span<const uint32_t> from, const uint32_t* to);
  /// Moves the rows of each group together; call it before merge() reads this object, and before rows().
  void seal();

  using Rows = std::ranges::iota_view<uint32_t, uint32_t>;
  /// The row numbers of a group, in the order of arrival.
  Rows rows(uint32_t group) const { return {starts_[group], starts_[group + 1]}; }
  /// Sorts row numbers by the keys, then by the order of the input.
  void sort(std::vector<uint32_t>& rows) const;

  template <class T>
  T value(uint32_t row) const {
    if constexpr (std::is_same_v<T, std::string_view>) {
      return texts_[row];
    } else {
      return reinterpret_cast<const T*>(numbers_.data())[row];
    }
  }

  /// result(rows), an R, for each of `count` groups from `first` on; NULL for groups without rows.
  template <class R, class F>
  ColumnPtr column(Type type, uint32_t first, uint32_t count, MemoryBudget* budget,
                   const Cancellation* cancellation, F result) const;

 private:
  /// Row i moves to places[i].
  void move_numbers(const uint32_t* places);

  MemoryBudget* budget_;
  Type type_;
  size_t width_;  // 0: strings
  bool ordered_;
  SortKeys keys_;
  bool has_keys_;
  uint32_t groups_ = 0;
  BufferBuilder<uint32_t> group_of_;
  BufferBuilder<uint8_t> numbers_;
  BufferBuilder<std::string_view> texts_;
  BufferBuilder<Position> positions_;      // ordered
  BufferBuilder<std::string_view> ranks_;  // ordered, with keys
  ByteStore bytes_;
  BufferBuilder<uint32_t> starts_;  // by group
  bool sealed_ = false;
};

/// An empty object whose rows can be sorted by the call's ORDER BY.
Collected collected_in_order(Type type, const plan::AggregateCall& call, MemoryBudget* budget);

/// An aggregate over all values of a group that are not NULL.
class OfCollected : public Accumulator {
 public:
  OfCollected(Collected values, MemoryBudget* budget) : values_(std::move(values)), budget_(budget) {}

  void resize(uint32_t groups) override { values_.resize(groups); }
  void update(const AggregateInput& input) override { values_.add(input, present(input)); }
  void merge(const Accumulator& other, std::span<const uint32_t> from, const uint32_t* to) override {
    values_.merge(static_cast<const OfCollected&>(other).values_, from, to);
  }
  bool merge_copies() const override { return false; }  // strings are not copied
  void seal() override { values_.seal(); }

 protected:
  Collected values_;
  MemoryBudget* budget_;
};

template <class R, class F>
ColumnPtr Collected::column(Type type, uint32_t first, uint32_t count, MemoryBudget* budget,
                            const Cancellation* cancellation, F result) const {
  std::vector<R> results(count);
  for (uint32_t i = 0; i < count; ++i) {
    if (rows(first + i).empty()) continue;
    if (cancellation != nullptr) cancellation->check();
    results[i] = result(rows(first + i));
  }
  const auto valid = [&](uint32_t i) { return !rows(first + i).empty(); };
  const auto value = [&](uint32_t i) { return results[i]; };
  if constexpr (std::is_same_v<R, std::string_view>) {
    return text_column(type, count, budget, valid, value);
  } else {
    return number_column<R>(type, count, budget, valid, value);
  }
}

}  // namespace lanewise::ops
