#include "ops/aggregate/accumulators/collected.h"

#include <algorithm>
#include <cstring>

#include "base/error.h"
#include "expr/vectors/vectors.h"

namespace lanewise::ops {

Collected::Collected(Type type, bool ordered, const std::vector<Type>& key_types,
                     std::vector<SortDirection> directions, MemoryBudget* budget)
    : budget_(budget),
      type_(type),
      width_(type.is_string() ? 0 : width(type.physical())),
      ordered_(ordered),
      keys_(key_types, std::move(directions)),
      has_keys_(!key_types.empty()),
      group_of_(budget, kGroupBy),
      numbers_(budget, kGroupBy),
      texts_(budget, kGroupBy),
      positions_(budget, kGroupBy),
      ranks_(budget, kGroupBy),
      bytes_(budget, kGroupBy),
      starts_(budget, kGroupBy) {}

void Collected::add(const AggregateInput& input, const ActiveSet& rows) {
  const size_t before = group_of_.size();
  if (before + rows.count() > UINT32_MAX) {
    throw UserError(
        "GROUP BY: an aggregate that keeps its values (quantile, mode, string_agg) has 2^32 of them");
  }
  group_of_.resize(before + rows.count());
  uint32_t* groups = group_of_.data() + before;
  for_each_row(input, rows, [&](uint32_t, uint32_t group) { *groups++ = group; });

  const Vector values = expr::flatten(input.args[0], rows);
  if (width_ == 0) {
    rows.for_each([&](uint32_t row) { texts_.push_back(bytes_.copy(values.text(row))); });
  } else {
    numbers_.resize((before + rows.count()) * width_);
    uint8_t* to = numbers_.data() + before * width_;
    const auto* from = values.as<uint8_t>();
    rows.for_each([&](uint32_t row) {
      std::memcpy(to, from + row * width_, width_);
      to += width_;
    });
  }
  if (!ordered_) return;
  rows.for_each([&](uint32_t row) { positions_.push_back({input.chunk_order, input.first_row + row}); });
  if (!has_keys_) return;
  std::vector<KeyWords> words;
  for (const Vector& key : input.order) words.push_back(key_words(key, rows));
  auto* ranks = rows.arena().allocate<std::string_view>(rows.count());
  keys_.encode(words, rows.list(), rows.arena(), ranks);
  for (uint32_t i = 0; i < rows.count(); ++i) ranks_.push_back(bytes_.copy(ranks[i]));
}

void Collected::merge(const Collected& other, std::span<const uint32_t> from, const uint32_t* to) {
  for (size_t i = 0; i < from.size(); ++i) {
    const Rows rows = other.rows(from[i]);
    if (rows.empty()) continue;
    const size_t first = rows.front(), count = rows.size(), before = group_of_.size();
    group_of_.resize(before + count);
    std::fill_n(group_of_.data() + before, count, to[i]);
    if (width_ == 0) {
      texts_.append(other.texts_.data() + first, count);  // their bytes outlive this object
    } else {
      numbers_.append(other.numbers_.data() + first * width_, count * width_);
    }
    if (ordered_) positions_.append(other.positions_.data() + first, count);
    if (has_keys_) ranks_.append(other.ranks_.data() + first, count);
  }
}

void Collected::seal() {
  if (std::exchange(sealed_, true)) return;
  // Counting sort: starts_[g + 1] is the start of group g before its rows are placed, and its end
  // afterwards.
  starts_.resize(size_t{groups_} + 2);
  std::fill_n(starts_.data(), starts_.size(), 0);
  const size_t rows = group_of_.size();
  for (size_t row = 0; row < rows; ++row) ++starts_[group_of_[row] + 2];
  for (size_t group = 2; group < starts_.size(); ++group) starts_[group] += starts_[group - 1];
  uint32_t* const places = group_of_.data();
  for (size_t row = 0; row < rows; ++row) places[row] = starts_[places[row] + 1]++;
  const auto move = [&]<class T>(BufferBuilder<T>& values) {
    if (values.size() == 0) return;
    BufferBuilder<T> moved(budget_, kGroupBy);
    moved.resize(rows);
    for (size_t row = 0; row < rows; ++row) moved[places[row]] = values[row];
    values = std::move(moved);
  };
  move(texts_);
  move(positions_);
  move(ranks_);
  if (width_ != 0 && rows != 0) move_numbers(places);
  group_of_ = BufferBuilder<uint32_t>(budget_, kGroupBy);
}

void Collected::move_numbers(const uint32_t* places) {
  visit(type_.physical(), [&](auto zero) {
    using T = decltype(zero);
    if constexpr (!std::is_same_v<T, std::string_view>) {
      BufferBuilder<uint8_t> moved(budget_, kGroupBy);
      moved.resize(numbers_.size());
      const T* from = reinterpret_cast<const T*>(numbers_.data());
      T* to = reinterpret_cast<T*>(moved.data());
      for (size_t row = 0; row < numbers_.size() / sizeof(T); ++row) to[places[row]] = from[row];
      numbers_ = std::move(moved);
    }
  });
}

void Collected::sort(std::vector<uint32_t>& rows) const {
  const auto before = [&](uint32_t a, uint32_t b) {
    if (has_keys_) {
      const int order = ranks_[a].compare(ranks_[b]);
      if (order != 0) return order < 0;
    }
    return positions_[a] < positions_[b];
  };
  if (!std::is_sorted(rows.begin(), rows.end(), before)) std::sort(rows.begin(), rows.end(), before);
}

Collected collected_in_order(Type type, const plan::AggregateCall& call, MemoryBudget* budget) {
  std::vector<Type> types;
  std::vector<SortDirection> directions;
  for (const plan::SortKey& key : call.order) {
    types.push_back(key.expr->type);
    directions.push_back({key.descending, key.nulls_first});
  }
  return {type, true, types, std::move(directions), budget};
}

}  // namespace lanewise::ops
