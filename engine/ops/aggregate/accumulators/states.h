#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <utility>

#include "base/memory.h"
#include "data/column.h"
#include "ops/aggregate/accumulators/accumulator.h"

namespace lanewise::ops {

/// One state per group. T is trivially copyable.
template <class T>
class States {
 public:
  explicit States(MemoryBudget* budget, T empty = T{}) : empty_(empty), states_(budget, kGroupBy) {}

  void resize(uint32_t groups) {
    const size_t before = states_.size();
    states_.resize(groups);
    std::fill_n(states_.data() + before, groups - before, empty_);
  }
  T* data() { return states_.data(); }
  const T* data() const { return states_.data(); }
  size_t size() const { return states_.size(); }
  T& operator[](uint32_t group) { return states_[group]; }
  const T& operator[](uint32_t group) const { return states_[group]; }

 private:
  T empty_;
  BufferBuilder<T> states_;
};

/// A column of `count` numbers: value(i) is called if valid(i), in ascending order.
template <class T, class Valid, class ValueOf>
ColumnPtr number_column(Type type, uint32_t count, MemoryBudget* budget, Valid valid, ValueOf value) {
  auto column = std::make_shared<Column>();
  column->type = type;
  column->rows = count;
  column->values = Buffer::allocate(size_t{count} * sizeof(T), budget, kGroupBy);
  T* values = column->values.template mutable_as<T>();
  Buffer validity = Buffer::allocate(bits::words(count) * 8, budget, kGroupBy);
  auto* present = validity.mutable_as<uint64_t>();
  bits::fill(present, count);
  for (uint32_t i = 0; i < count; ++i) {
    if (valid(i)) {
      values[i] = value(i);
    } else {
      values[i] = T{};
      bits::clear(present, i);
      ++column->nulls;
    }
  }
  if (column->nulls != 0) column->validity = std::move(validity);
  return column;
}

}  // namespace lanewise::ops
