#include "ops/window/leading_rows.h"

#include <algorithm>
#include <cstring>
#include <string_view>

#include "ops/window/frames/rows.h"
#include "primitives/groups/key_words.h"
#include "primitives/parallel.h"
#include "primitives/sort/sort_keys.h"

namespace lanewise::ops {

namespace {

constexpr uint64_t kTrial = uint64_t{1} << 16;  // rows before it may give up
constexpr size_t kMostRanks = size_t{1} << 22;  // of all partitions: 32 MiB for each thread
constexpr uint64_t kGreatest = UINT64_MAX;
constexpr int kMergeBits = 7;  // tasks that combine threads

std::vector<Type> key_types(const SortColumns& columns, size_t keys) {
  std::vector<Type> types;
  for (size_t k = 0; k < keys; ++k) types.push_back(columns.schema()[columns.key(k)].type);
  return types;
}

/// A text's first eight bytes as a number of the same order.
uint64_t first_bytes(std::string_view text) {
  uint64_t word = 0;
  std::memcpy(&word, text.data(), std::min<size_t>(text.size(), sizeof(word)));
  return __builtin_bswap64(word);
}

/// Adds a rank to a heap of the `size` lowest ones.
void add_rank(uint64_t* heap, uint32_t size, uint64_t rank) {
  if (rank >= heap[0]) return;
  std::pop_heap(heap, heap + size);
  heap[size - 1] = rank;
  std::push_heap(heap, heap + size);
}

template <class T>
void add_column(std::vector<Vector>& columns, TypeId type, const T* values, bool constant) {
  Vector& added = columns.emplace_back();
  added.type = type;
  added.constant = constant;
  added.values = values;
}

}  // namespace

LeadingRows::LeadingRows(const SortColumns& columns, size_t partition_keys, uint32_t needed,
                         MemoryBudget* budget)
    : columns_(columns),
      partition_keys_(partition_keys),
      needed_(needed),
      budget_(budget),
      partitions_(key_types(columns, partition_keys), budget, kWindow),
      ranks_(budget, kWindow) {}

void LeadingRows::add_fields(Schema& schema) {
  schema.push_back({"", TypeId::kUInt32});
  schema.push_back({"", TypeId::kUInt64});
}

const uint64_t* LeadingRows::ranks_of(const Vector& key, const ActiveSet& rows) const {
  constexpr uint64_t kTop = uint64_t{1} << 63;
  const SortDirection direction = columns_.direction(partition_keys_);
  const KeyWords words = key_words(key, rows);
  const auto order_of = [&](uint32_t row) {
    if (words.text != nullptr) return first_bytes(words.text->text(row));
    return order_word(key.type, words.words[row]) << (64 - 8 * order_bytes(key.type));
  };
  auto* ranks = rows.arena().allocate<uint64_t>(rows.rows());
  rows.for_each([&](uint32_t row) {
    if (words.is_null(row)) {
      ranks[row] = direction.nulls_first ? 0 : kGreatest;
      return;
    }
    // The lowest bit makes room for NULLs: two neighbouring numbers may have the same rank.
    const uint64_t half = (direction.descending ? ~order_of(row) : order_of(row)) >> 1;
    ranks[row] = direction.nulls_first ? half | kTop : half;
  });
  return ranks;
}

void LeadingRows::resize(size_t partitions) {
  const size_t known = ranks_.size();
  ranks_.resize(partitions * needed_);
  std::fill(ranks_.data() + known, ranks_.data() + ranks_.size(), kGreatest);
}

ActiveSet LeadingRows::keep(std::vector<Vector>& values, const ActiveSet& rows) {
  Arena& arena = rows.arena();
  if (hopeless_ || rows.none()) {
    add_column(values, TypeId::kUInt32, &(*arena.allocate<uint32_t>(1) = kUnknown), true);
    add_column(values, TypeId::kUInt64, &(*arena.allocate<uint64_t>(1) = 0), true);
    return rows;
  }
  std::vector<Vector> keys;
  for (size_t k = 0; k < partition_keys_; ++k) keys.push_back(values[columns_.key(k)]);
  auto* partition = arena.allocate<uint32_t>(rows.rows());
  partitions_.find_or_add(keys, rows, partition);
  resize(partitions_.size());

  const uint64_t* ranks = ranks_of(values[columns_.key(partition_keys_)], rows);
  const size_t words = bits::words(rows.rows());
  auto* kept = arena.allocate<uint64_t>(words);
  std::fill_n(kept, words, 0);
  rows.for_each([&](uint32_t row) {
    uint64_t* heap = ranks_.data() + size_t{partition[row]} * needed_;
    if (ranks[row] <= heap[0]) bits::set(kept, row);  // ties may precede those that are known
    add_rank(heap, needed_, ranks[row]);
  });
  add_column(values, TypeId::kUInt32, partition, false);
  add_column(values, TypeId::kUInt64, ranks, false);

  rows_ += rows.count();
  const bool unique = rows_ >= kTrial && partitions_.size() > rows_ - rows_ / 16;
  hopeless_ = unique || ranks_.size() > kMostRanks;
  return rows.narrowed(kept);
}

void LeadingRows::combine(std::span<LeadingRows* const> threads) {
  if (threads.size() < 2) return;
  std::vector<Partitions> parts(threads.size());
  parallel_for(threads.size(),
               [&](size_t t) { parts[t] = partition(threads[t]->partitions_.tags(), kMergeBits); });
  const LeadingRows& any = *threads[0];
  parallel_for(size_t{1} << kMergeBits, [&](size_t p) {
    std::vector<Grouping::Part> keys;
    size_t total = 0;
    for (size_t t = 0; t < threads.size(); ++t) {
      keys.push_back({&threads[t]->partitions_, parts[t].part(p, p + 1), false});
      total += keys.back().groups.size();
    }
    LeadingRows all(any.columns_, any.partition_keys_, any.needed_, any.budget_);
    std::vector<uint32_t> to(total);
    all.partitions_.absorb(keys, to.data());
    all.resize(all.partitions_.size());
    const auto for_each = [&](auto f) {
      const uint32_t* next = to.data();
      for (size_t t = 0; t < threads.size(); ++t) {
        for (const uint32_t group : keys[t].groups) {
          f(threads[t]->ranks_.data() + size_t{group} * any.needed_,
            all.ranks_.data() + size_t{*next++} * any.needed_);
        }
      }
    };
    for_each([&](const uint64_t* from, uint64_t* heap) {
      for (uint32_t i = 0; i < any.needed_; ++i) add_rank(heap, any.needed_, from[i]);
    });
    for_each([](uint64_t* bound, const uint64_t* heap) { bound[0] = heap[0]; });
  });
}

}  // namespace lanewise::ops
