#pragma once

#include <cstdint>
#include <vector>

#include "base/bits.h"
#include "base/memory.h"
#include "ops/join/lookup.h"
#include "primitives/parallel.h"

namespace lanewise::ops {

/// Rows grouped by part; in a part they ascend.
struct PartedRows {
  std::vector<size_t> starts;  // start of each part, and the end
  Buffer words, rows;
};

/// Groups the rows that are `valid` (null: all) by part_of(word), which is less than `parts`. Parallel.
template <class Word, class PartOf>
PartedRows divide(const Word* words, size_t rows, const uint64_t* valid, size_t parts, PartOf part_of,
                  MemoryBudget* budget) {
  constexpr size_t kBlock = size_t{1} << 16;
  const size_t blocks = (rows + kBlock - 1) / kBlock;
  std::vector<uint32_t> counts(blocks * parts);
  const auto each = [&](size_t block, auto f) {
    const size_t end = std::min(rows, (block + 1) * kBlock);
    for (size_t row = block * kBlock; row < end; ++row) {
      if (valid == nullptr || bits::test(valid, row)) f(row, part_of(words[row]));
    }
  };
  parallel_for(blocks,
               [&](size_t block) { each(block, [&](size_t, size_t p) { ++counts[block * parts + p]; }); });
  PartedRows parted;
  size_t total = 0;
  std::vector<size_t> at(blocks * parts);
  for (size_t p = 0; p < parts; ++p) {
    parted.starts.push_back(total);
    for (size_t block = 0; block < blocks; ++block) {
      at[block * parts + p] = total;
      total += counts[block * parts + p];
    }
  }
  parted.starts.push_back(total);
  parted.words = Buffer::allocate(total * sizeof(Word), budget, kJoin);
  parted.rows = Buffer::allocate(total * sizeof(uint32_t), budget, kJoin);
  auto* to_words = parted.words.mutable_as<Word>();
  auto* to_rows = parted.rows.mutable_as<uint32_t>();
  parallel_for(blocks, [&](size_t block) {
    size_t* to = at.data() + block * parts;
    each(block, [&](size_t row, size_t p) {
      to_words[to[p]] = words[row];
      to_rows[to[p]++] = static_cast<uint32_t>(row);
    });
  });
  return parted;
}

}  // namespace lanewise::ops
