#pragma once

#include <vector>

#include "index/image/key_layout.h"

namespace lanewise::index {

/// A batch of keys in ascending order; equal keys keep their order.
class SortedBatch {
 public:
  SortedBatch(const KeyLayout& layout, const Keys& keys, MemoryBudget* budget);

  const Probes& probes() const { return probes_; }
  /// The position in the batch of the i-th key in ascending order.
  size_t row(size_t i) const { return in_order_ ? i : rows_[i]; }
  /// `values`, `bytes` for each key of the batch, in the order of the keys; valid as long as both.
  const u8* sort_values(const void* values, size_t bytes);

 private:
  void sort_words(size_t count);
  void sort_probes();

  const KeyLayout& layout_;
  KeyLayout::Encoder encoder_;
  Reservation held_;
  Probes probes_;
  bool in_order_ = true;
  std::vector<u64> rows_;
  std::vector<u64> words_;
  std::vector<std::string_view> texts_;
  std::vector<u8> values_;
};

/// Negative, 0 or positive, as a's key is below, equal to or above b's.
int compare(const KeyLayout& layout, const Probe& a, const Probe& b);

}  // namespace lanewise::index
