#include "index/sorted_batch.h"

#include <algorithm>
#include <cstring>
#include <numeric>

#include "primitives/sort/radix_sort.h"

namespace lanewise::index {

int compare(const KeyLayout& layout, const Probe& a, const Probe& b) {
  const auto words = [&](auto zero) {
    using Word = decltype(zero);
    const Word* x = static_cast<const Word*>(a.words);
    const Word* y = static_cast<const Word*>(b.words);
    for (u32 i = 0; i < (layout.text() ? 1 : layout.planes()); ++i) {
      if (x[i] != y[i]) return x[i] < y[i] ? -1 : 1;
    }
    return 0;
  };
  const int order = layout.word() == 4 ? words(u32{}) : words(u64{});
  return order != 0 || !layout.text() ? order : a.text.compare(b.text);
}

SortedBatch::SortedBatch(const KeyLayout& layout, const Keys& keys, MemoryBudget* budget)
    : layout_(layout), encoder_(layout), held_(budget, "sorting a batch for an index") {
  layout.check(keys);
  const size_t count = keys.size();
  probes_ = encoder_.encode(keys, 0, count);
  for (size_t i = 1; in_order_ && i < count; ++i)
    in_order_ = compare(layout, probes_[i - 1], probes_[i]) <= 0;
  if (in_order_) return;
  const bool one_word = layout.planes() == 1;
  held_.resize(count *
               (one_word ? 2 * sizeof(KeyRow) : sizeof(u64) + probes_.stride + sizeof(std::string_view)));
  if (one_word) {
    sort_words(count);
  } else {
    sort_probes();
  }
}

void SortedBatch::sort_words(size_t count) {
  std::vector<KeyRow> sorted(count);
  const auto with = [&](auto zero) {
    using Word = decltype(zero);
    const Word* words = static_cast<const Word*>(probes_.words);
    for (size_t i = 0; i < count; ++i) sorted[i] = {words[i], i};
    {
      std::vector<KeyRow> scratch(count);
      radix_sort(sorted, scratch.data());
    }
    words_.resize((count * sizeof(Word) + 7) / 8);
    rows_.resize(count);
    Word* to = reinterpret_cast<Word*>(words_.data());
    for (size_t i = 0; i < count; ++i) {
      to[i] = static_cast<Word>(sorted[i].key);
      rows_[i] = sorted[i].row;
    }
  };
  if (layout_.word() == 4) {
    with(u32{});
  } else {
    with(u64{});
  }
  probes_.words = words_.data();
}

void SortedBatch::sort_probes() {
  const size_t count = probes_.count, stride = probes_.stride;
  rows_.resize(count);
  std::iota(rows_.begin(), rows_.end(), u64{0});
  std::stable_sort(rows_.begin(), rows_.end(),
                   [&](u64 a, u64 b) { return compare(layout_, probes_[a], probes_[b]) < 0; });
  words_.resize(count * stride / 8);
  for (size_t i = 0; i < count; ++i) {
    std::memcpy(reinterpret_cast<char*>(words_.data()) + i * stride, probes_[rows_[i]].words, stride);
  }
  if (probes_.texts != nullptr) {
    texts_.resize(count);
    for (size_t i = 0; i < count; ++i) texts_[i] = probes_.texts[rows_[i]];
    probes_.texts = texts_.data();
  }
  probes_.words = words_.data();
}

const u8* SortedBatch::sort_values(const void* values, size_t bytes) {
  const u8* from = static_cast<const u8*>(values);
  if (in_order_ || bytes == 0) return from;
  held_.resize(held_.bytes() + rows_.size() * bytes);
  values_.resize(rows_.size() * bytes);
  const auto gather = [&](auto zero) {
    using Value = decltype(zero);
    for (size_t i = 0; i < rows_.size(); ++i) {
      std::memcpy(values_.data() + i * sizeof(Value), from + rows_[i] * sizeof(Value), sizeof(Value));
    }
  };
  if (bytes == 4) {
    gather(u32{});
  } else if (bytes == 8) {
    gather(u64{});
  } else {
    for (size_t i = 0; i < rows_.size(); ++i) {
      std::memcpy(values_.data() + i * bytes, from + rows_[i] * bytes, bytes);
    }
  }
  return values_.data();
}

}  // namespace lanewise::index
